#include <fmt/format.h>

#include "experiments/workloads/sized_workload.h"
#include "experiments/workloads/weather/files.h"

namespace lookahead::workloads::weather {

constexpr std::int64_t kSide = 8;
constexpr float kStep = 60.0f;  // seconds
/// Relative to the value or to the scale: kelvins, and masses of water in a mass of air.
constexpr double kTolerance = 1e-3, kTemperatureTolerance = 1e-4, kScale = 1e-4;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"nx", "column", {16, 80, 192, 576}, 4096, "Columns from west to east.", kSide},
    {"ny", "column", {8, 32, 96, 512}, 4096, "Columns from south to north.", kSide},
    {"levels", "level", {8, 27, 27, 27}, 128, "Levels of a column."},
    {"steps", "step", {1, 1, 2, 4}, 1 << 12, "Steps of one minute, one launch each."},
}};

/// The forms of water in the air, in the order of the kernel's fields.
enum Field { temperature, vapour, cloud, ice, rain, snow, pressure, density, thickness, field_count };
constexpr int kChanging = pressure;  // number of fields that the kernel writes
constexpr const char* kNames[kChanging] = {"temperature", "vapour", "cloud", "ice", "rain", "snow"};

// The formulas of the papers that kernel.cu names, in double precision.
constexpr double kPi = 3.14159265358979, kFreezing = 273.15, kVapourGas = 461.6, kHeat = 1004.5;
constexpr double kVaporise = 2.5e6, kMelt = 3.5e5, kSublimate = kVaporise + kMelt;
constexpr double kRainNumber = 8e6, kWater = 1000;

double saturation(double t, double pressure, double a, double b) {
    const double partial = std::min(610.78 * std::exp(a * (t - 273.16) / (t - b)), 0.9 * pressure);
    return 0.622 * partial / (pressure - partial);
}
double over_water(double t, double pressure) {
    return saturation(t, pressure, 17.2693882, 35.86);
}

/// Drops or flakes at one level, with exponentially distributed sizes.
struct Falling {
    double number, a, b, length, speed;  // length: the inverse slope

    Falling(double mass, double air, double count, double factor, double exponent, double substance, double largest)
        : number(count), a(factor), b(exponent) {
        const double slope = std::pow(kPi * substance * number / (air * std::max(mass, 1e-12)), 0.25);
        length = 1 / std::min(slope, largest);
        speed = a * std::tgamma(4 + b) / 6 * std::pow(length, b) * std::sqrt(1.28 / air);
    }

    /// The volume swept per second: sizes to the power of 2 + b, over all drops.
    double swept() const { return kPi / 4 * a * number * std::tgamma(3 + b) * std::pow(length, 3 + b); }
    /// The surface through which vapour passes, ventilated by the fall.
    double surface(double still, double windy, double ventilation) const {
        return number * (still * length * length +
                         windy * std::sqrt(a) * std::tgamma((5 + b) / 2) * ventilation * std::pow(length, (5 + b) / 2));
    }
};

Falling drops_of(double mass, double air) {
    return {mass, air, kRainNumber, 841.9, 0.8, kWater, 8e4};
}
Falling flakes_of(double mass, double air, double t) {
    return {mass, air, 2e6 * std::exp(std::clamp(0.12 * (kFreezing - t), 0.0, 10.0)), 11.72, 0.41, 100, 1e5};
}

struct Level {
    double value[field_count];

    double& operator[](Field field) { return value[field]; }
    double operator[](Field field) const { return value[field]; }
};

/// Scales sinks down that together would take more than `mass` in a step.
void share(double mass, double step, std::initializer_list<double*> sinks) {
    double sum = 0;
    for (const double* sink : sinks) { sum += *sink; }
    if (sum * step <= mass) { return; }
    for (double* sink : sinks) { *sink *= mass / (sum * step); }
}

void change_phases(Level& s, double step) {
    const double t = s[temperature], air = s[density], frost = kFreezing - t, cold = std::clamp(frost, 0.0, 1.0);
    const double water = over_water(t, s[pressure]), thin = std::sqrt(1.28 / air);
    const double viscosity = 1.496e-6 * std::pow(t, 1.5) / ((t + 120) * air);
    const double diffusion = 8.794e-5 * std::pow(t, 1.81) / s[pressure], conduction = 1.414e3 * viscosity * air;
    const double ventilation = std::cbrt(viscosity / diffusion) / std::sqrt(viscosity) * std::sqrt(thin);
    const auto resistance = [&](double heat, double saturated) {
        return air * heat * heat / (conduction * kVapourGas * t * t) + 1 / (saturated * diffusion);
    };

    const Falling drop = drops_of(s[rain], air);
    double coalesced = 1e-3 * std::max(s[cloud] - 5e-4, 0.0), collected = drop.swept() * s[cloud] * thin;
    const double lack = std::max(water - s[vapour], 0.0);
    const double evaporated = std::min(
        {lack / water * drop.surface(2 * kPi * 0.78, 2 * kPi * 0.31, ventilation) / resistance(kVaporise, water),
         s[rain] / step, 0.5 * lack / step});

    const Falling flake = flakes_of(s[snow], air, t);
    const double snow_surface = flake.surface(4 * 0.65, 4 * 0.44, ventilation);
    double melted = 0, ice_melted = 0, rimed = 0, gathered = 0, flakes = 0, on_ice = 0, on_snow = 0, new_ice = 0;
    double frozen_cloud = 0, frozen_rain = 0;
    if (frost <= 0) {
        melted = std::min(conduction / kMelt * -frost * kPi / 2 * snow_surface / air, s[snow] / step);
        ice_melted = std::min(s[ice], -frost * kHeat / kMelt);
    } else {
        const double saturated = saturation(t, s[pressure], 21.8745584, 7.66);
        const double crystals = std::clamp(5.38e7 * std::pow(std::max(air * s[ice], 1e-15), 0.75), 1e3, 1e6);
        const double size = std::clamp(11.9 * std::sqrt(air * s[ice] / crystals), 1e-9, 5e-4);
        const double apart = std::abs(flake.speed - 1.49e4 * std::pow(size, 1.31)), n = flake.length;
        gathered = cold * kPi / 4 * s[ice] * std::exp(-0.07 * frost) * flake.number * apart *
                   (2 * n * n * n + 2 * size * n * n + size * size * n);
        rimed = cold * flake.swept() * s[cloud] * thin;
        flakes = cold * std::max(s[ice] - 8.125e-5 / air, 0.0) / step;

        const double excess = (s[vapour] / saturated - 1) / resistance(kSublimate, saturated);
        const double room = 0.5 * (s[vapour] - saturated) / step;
        on_ice = cold * std::max(4 * size * crystals * excess, -s[ice] / step);
        on_snow = cold * std::max(snow_surface * excess, -s[snow] / step);
        if (const double both = on_ice + on_snow; std::abs(both) > std::abs(room)) {
            on_ice *= room / both;
            on_snow *= room / both;
        }
        const double first_mass = 4.92e-11 * std::pow(1e3 * std::exp(0.1 * frost), 1.33) / air;
        new_ice = cold * std::clamp(first_mass - s[ice], 0.0, std::max(room - on_ice - on_snow, 0.0) * step) / step;

        const double bigg = 100 * (std::exp(0.66 * std::min(frost, 60.0)) - 1);
        frozen_cloud = bigg * air / (kWater * 3e8) * s[cloud] * s[cloud];
        frozen_rain = std::min(20 * kPi * kPi * bigg * kRainNumber * kWater / air * std::pow(drop.length, 7),
                               s[rain] / step - evaporated);
    }
    share(s[cloud], step, {&coalesced, &collected, &rimed, &frozen_cloud});
    double sublimated = std::max(-on_ice, 0.0);
    share(s[ice], step, {&gathered, &flakes, &sublimated});
    on_ice = std::max(on_ice, 0.0) - sublimated;

    s[vapour] += step * (evaporated - on_ice - on_snow - new_ice);
    s[cloud] += ice_melted - step * (coalesced + collected + rimed + frozen_cloud);
    s[ice] += step * (on_ice + new_ice + frozen_cloud - gathered - flakes) - ice_melted;
    s[rain] += step * (coalesced + collected + melted - evaporated - frozen_rain);
    s[snow] += step * (rimed + gathered + flakes + on_snow + frozen_rain - melted);
    s[temperature] += (step * (kSublimate * (on_ice + on_snow + new_ice) - kVaporise * evaporated +
                               kMelt * (rimed + frozen_cloud + frozen_rain - melted)) -
                       kMelt * ice_melted) /
                      kHeat;

    const double sudden = std::min(std::max(s[cloud], 0.0), std::max(233.15 - s[temperature], 0.0) * kHeat / kMelt);
    s[cloud] -= sudden;
    s[ice] += sudden;
    s[temperature] += kMelt / kHeat * sudden;
    const double warm = s[temperature], balance = over_water(warm, s[pressure]);
    const double change = 1 + kVaporise * kVaporise * balance / (kVapourGas * kHeat * warm * warm);
    const double condensed = std::max((s[vapour] - balance) / change, -s[cloud]);
    s[vapour] -= condensed;
    s[cloud] += condensed;
    s[temperature] += kVaporise / kHeat * condensed;
    for (int field = vapour; field < kChanging; ++field) { s.value[field] = std::max(s.value[field], 0.0); }
}

class Weather : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Weather, weather)

    void run(Device& device) override {
        make_air();
        std::array<DeviceAddress, field_count> fields{};
        for (int field = 0; field < field_count; ++field) { fields[field] = device.upload(before_[field]); }
        const DeviceAddress ground = zeros(device, plane_ * sizeof(float));
        const DeviceAddress substeps = device.allocate(plane_ * sizeof(std::int32_t));
        substeps_.clear();
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("weather_physics", {{blocks_for(nx_, kSide), blocks_for(ny_, kSide)}, {kSide, kSide}},
                          pack_parameters(fields, ground, substeps, s32(levels_), s32(nx_), s32(plane_), kStep));
            substeps_.push_back(device.download<std::int32_t>(substeps, plane_));
        }
        for (int field = 0; field < kChanging; ++field) {
            after_[field] = device.download<float>(fields[field], plane_ * levels_);
        }
        ground_ = device.download<float>(ground, plane_);
    }

    CheckReport check() const override {
        std::array<std::vector<double>, kChanging> expected;
        for (int field = 0; field < kChanging; ++field) { expected[field].resize(plane_ * levels_); }
        std::vector<double> ground;
        for (std::int64_t column = 0; column < plane_; ++column) {
            std::vector<Level> levels(levels_);
            for (std::int64_t k = 0; k < levels_; ++k) {
                for (int field = 0; field < field_count; ++field) {
                    levels[k].value[field] = before_[field][k * plane_ + column];
                }
            }
            ground.push_back(0);
            for (const std::vector<std::int32_t>& substeps : substeps_) {
                // The number may differ from ours only if rounding makes it the next whole number.
                const double least = needed_substeps(levels);
                const int count = substeps[column];
                if (count < std::floor(least * (1 - kTolerance)) + 1 ||
                    count > std::floor(least * (1 + kTolerance)) + 1) {
                    return {Outputs::mismatch,
                            fmt::format("substeps[{}] is {}, the CPU reference needs {}", column, count, least)};
                }
                ground.back() += sediment(levels, count);
                for (Level& level : levels) { change_phases(level, kStep); }
            }
            for (std::int64_t k = 0; k < levels_; ++k) {
                for (int field = 0; field < kChanging; ++field) {
                    expected[field][k * plane_ + column] = levels[k].value[field];
                }
            }
        }
        std::vector<CheckReport> reports{compare_close("precipitation", ground_, ground, kTolerance)};
        for (int field = 0; field < kChanging; ++field) {
            reports.push_back(field == temperature
                                  ? compare_close(kNames[field], after_[field], expected[field], kTemperatureTolerance)
                                  : compare_close(kNames[field], after_[field], expected[field], kTolerance, kScale));
        }
        return all_of(reports);
    }

  private:
    /// Air that cools by 6.5 K per kilometre and dries, with storms over squares of 16 columns: droplets and rain
    /// below, ice and snow above.
    void make_air() {
        XorShift32 random(seed());
        for (auto& field : before_) { field.assign(plane_ * levels_, 0.0f); }
        std::vector<float> storms;
        for (std::int64_t i = 0; i < (nx_ / 16 + 1) * (ny_ / 16 + 1); ++i) {
            storms.push_back(std::max(random.next_float() * 2.0f - 1.0f, 0.0f));
        }
        for (std::int64_t column = 0; column < plane_; ++column) {
            const std::int64_t x = column % nx_, y = column / nx_;
            const float storm = storms[y / 16 * (nx_ / 16 + 1) + x / 16];
            float height = 0.0f, air_pressure = 1e5f, moisture = 0.014f;
            for (std::int64_t k = 0; k < levels_; ++k) {
                // 100 m at the ground, 880 m at the top of 27 levels.
                const float thick = 100.0f + 30.0f * static_cast<float>(k);
                const float kelvins = 298.0f - 0.0065f * (height + 0.5f * thick) + 4.0f * random.next_float();
                const std::int64_t i = k * plane_ + column;
                const float air = air_pressure / (287.0f * kelvins);
                const bool is_cold = kelvins < 268.0f, is_mixed = is_cold && kelvins > 243.0f;
                before_[temperature][i] = kelvins;
                before_[pressure][i] = air_pressure;
                before_[density][i] = air;
                before_[thickness][i] = thick;
                before_[vapour][i] = moisture * (0.7f + 0.6f * random.next_float());
                before_[cloud][i] = !is_cold || is_mixed ? storm * 1e-3f * random.next_float() : 0.0f;
                before_[rain][i] = is_cold ? 0.0f : storm * 1.5e-3f * random.next_float();
                before_[ice][i] = is_cold ? storm * 2e-4f * random.next_float() : 0.0f;
                before_[snow][i] = is_cold ? storm * 1.5e-3f * random.next_float() : 0.0f;
                air_pressure -= 9.81f * air * thick;
                height += thick;
                moisture *= 0.87f;
            }
        }
    }

    static double needed_substeps(const std::vector<Level>& levels) {
        double fastest = 0;
        for (const Level& s : levels) {
            const double rain_speed = drops_of(s[rain], s[density]).speed;
            const double snow_speed = flakes_of(s[snow], s[density], s[temperature]).speed;
            fastest = std::max(fastest, std::max(rain_speed, snow_speed) / s[thickness]);
        }
        return fastest * double{kStep};
    }

    /// Lets rain and snow fall for `count` steps; returns what reaches the ground.
    static double sediment(std::vector<Level>& levels, int count) {
        const double part = double{kStep} / count;
        double ground = 0;
        for (int i = 0; i < count; ++i) {
            double rain_flux = 0, snow_flux = 0;
            for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
                Level& s = *level;
                const double mass = s[density] * s[thickness];
                const auto fall = [&](Field what, double speed, double& flux) {
                    const double out = std::min(s[density] * s[what] * speed, s[what] * mass / part);
                    s[what] += (flux - out) * part / mass;
                    flux = out;
                };
                fall(rain, drops_of(s[rain], s[density]).speed, rain_flux);
                fall(snow, flakes_of(s[snow], s[density], s[temperature]).speed, snow_flux);
            }
            ground += (rain_flux + snow_flux) * part;
        }
        return ground;
    }

    const std::int64_t nx_ = value(0), ny_ = value(1), levels_ = value(2), steps_ = value(3), plane_ = nx_ * ny_;
    std::array<std::vector<float>, field_count> before_;
    std::array<std::vector<float>, kChanging> after_;
    std::vector<std::vector<std::int32_t>> substeps_;
    std::vector<float> ground_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Weather, weather)

}  // namespace lookahead::workloads::weather
