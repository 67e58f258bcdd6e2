"""Values that the papers give for what our figures show, by figure, row and column of our tables. Where a paper gives a bound, a
range or words, the figure's text has them (FIGURES), and nothing is here."""

SGEMM, BFS = "sgemm (SG)", "bfs (BF)"
TYPE_L, TYPE_M, ALL = "mean, Type-L", "mean, Type-M", "mean, all"

CACHES = ("r_base", "48 KB", "40 + 8 KB", "32 + 16 KB", "24 + 24 KB")

PUBLISHED = {
    # Collange and Kouyoumdjian 2011, table 4, with our kernels' names; figure 7 and its text.
    "avc/table4": {kernel: dict(zip(CACHES, registers)) for kernel, *registers in (
        ("backprop_forward", 13, 7, 7, 7, 7), ("backprop_adjust", 12, 7, 7, 7, 7), ("cfd_flux", 35, 30, 27, 26, 27),
        ("fdtd3d", 22, 13, 14, 14, 14), ("srad_coefficients", 10, 8, 8, 8, 8), ("srad_update", 12, 6, 7, 6, 7),
        ("hotspot", 27, 17, 14, 9, 14), ("fwt_global", 8, 5, 4, 4, 4), ("fwt_modulate", 11, 7, 4, 3, 4),
        ("black_scholes", 17, 9, 5, 5, 5), ("heartwall_track", 25, 10, 9, 9, 8), ("lud_internal", 16, 10, 6, 6, 6),
        ("nw_first_half", 24, 22, 3, 3, 3), ("binomial_options_price", 14, 7, 6, 6, 6))},
    "avc/fig7a": {"mean": {"32 + 16 KB": 1.057}, "heartwall": {"32 + 16 KB": 0.997}},
    "avc/fig7b": {"mean": {"32 + 16 KB": 0.89}},
    "avc/fig7b_dynamic": {"mean": {"32 + 16 KB": 0.89}},
    # Koo et al., HPCA 2018, section VI.
    "caps/fig10": {"mean": {"caps": 1.08, "lap": 1.01, "orch": 1.01}, "mean of irregular": {"caps": 1.06},
                   "convolutionSeparable": {"caps": 1.27}},
    "caps/fig10_l1i": {"mean, 2 KB": {"caps": 1.08}},
    "caps/fig12a": {"mean": {"caps": 0.18}},
    "caps/fig12b": {"mean": {"caps": 0.97}},
    "caps/fig14a": {"mean": {"caps": 0.0091}},
    "caps/fig14a_demand": {"caps": {"by demand, mean": 0.0091}},
    "caps/fig14a_wakeup": {"mean": {"caps, pas": 0.0091, "caps, pas, no wake-up": 0.0116}},
    "caps/fig14b": {"mean": {"caps, lrr": 64.3, "caps, two_level": 145.0, "caps, pas": 172.7}},
    "caps/fig15": {"mean": {"caps": 0.98}},
    "caps/ablation": {"mean": {"caps, pas": 1.08}},
    "caps/every_scheduler": {"pas": {"caps": 1.08}},
    # Wang and Lin, ISCA 2017, section 5.
    "dac/fig16": {"mean, all": {"DAC": 1.407}, "mean, compute": {"DAC": 1.34}, "mean, memory": {"DAC": 1.447, "MTA": 1.16}},
    "dac/fig17": {"mean, all": {"sum": 0.74}},
    "dac/fig18": {"mean, compute": {"DAC": 0.34, "CAE": 0.25}},
    "dac/fig19": {"mean, memory": {"early loads": 0.798}},
    "dac/fig21": {"mean, all": {"total": 0.798, "dynamic": 0.816, "static": 0.71}},
    "dac/predicates": {"mean, all": {"predicates, scalar": 0.64, "predicates, two_comparison": 0.29}},
    # Kim et al., HPCA 2016, sections 2 and 5.
    "pmode/fig2": {ALL: {"long_latency": 0.23}, TYPE_L: {"long_latency": 0.40}, SGEMM: {"long_latency": 0.64},
                   BFS: {"long_latency": 0.40}},
    "pmode/fig4": {"base": {"total KB": 105}, "2xTLP": {"total KB": 205, "speed-up": 1.09}},
    "pmode/fig7": {ALL: {"base": 0.78}},
    "pmode/fig7_pmode": {ALL: {"base": 0.78}},
    "pmode/fig10": {ALL: {"executed a switch": 8.4, "skipped a switch": 17.3}},
    "pmode/fig11": {TYPE_L: {"long: pre-loaded": 0.21}, TYPE_M: {"long: pre-loaded": 0.05}},
    "pmode/fig12": {TYPE_L: {"pmode": 1.23}, ALL: {"pmode": 1.13}},
    "pmode/fig12_opttb": {TYPE_L: {"pmode": 1.23, "pmode + OptTB": 1.36}},
    "pmode/fig12_without": {TYPE_L: {"pmode": 1.23}},
    "pmode/fig13_raw": {TYPE_L: {"base": 0.40, "pmode": 0.24}, SGEMM: {"base": 0.64, "pmode": 0.06}},
    "pmode/fig14": {TYPE_L: {"base": 0.24, "pmode": 0.33}},
    "pmode/fig15": {TYPE_L: {"pmode": 0.98, "DirectPrefetch": 1.10}},
    "pmode/fig17": {"base": {"total KB": 105}, "2xTLP": {"total KB": 205, "speed-up": 1.09},
                    "pmode": {"total KB": 118, "speed-up": 1.13}},
    "pmode/fig18": {"2x, base": {"speed-up": 1.20}, "2x, pmode": {"speed-up": 1.33}},
    # Crago, Stephenson and Keckler, TACO 2018, section 5.
    "vecmem/fig8": {"mean": {"all": 0.67}},
    "vecmem/fig9": {"mean": {"l1_misses": 0.88, "l2_misses": 0.90, "row_misses": 0.81}},
    "vecmem/fig10": {"mean": {"cycles": 1.26}, "vecadd": {"cycles": 1.09}, "btree": {"cycles": 1.10}, "bfs": {"cycles": 1.42},
                     "spmv": {"cycles": 1.31}},
    "vecmem/fig11": {"mean": {"of what is saved: execute": 0.41}},
    "vecmem/fig12": {"mean": {"energy": 0.82, "functional_units": 0.82, "register_file": 0.72, "l1": 0.95, "l2": 0.89,
                              "dram": 0.88, "static": 0.84}},
    "vecmem/fig13": {"mean": {"energy_delay": 0.68}, "nw": {"energy_delay": 0.56}, "btree": {"energy_delay": 0.82}},
    "vecmem/fig15": {"mean": {"global's part": 0.78}},
    "vecmem/fig16": {"mean": {"indirect's part": 0.69}},
}
