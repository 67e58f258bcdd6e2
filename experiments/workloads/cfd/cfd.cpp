#include <optional>

#include "experiments/workloads/cfd/files.h"
#include "experiments/workloads/cfd/mesh.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::cfd {

constexpr std::int64_t kBlock = 192, kNeighbours = TetrahedralMesh::kSides, kStages = 3;
constexpr double kTolerance = 1e-4;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"elements", "element", {384, 24576, 97152, 232704}, 1 << 22, "Elements of the mesh.", kBlock},
    {"steps", "step", {1, 1, 5, 20}, 1 << 14, "Time steps of three stages; 2000 in the suite."},
}};

/// Density, momentum and energy.
using State = std::array<double, 5>;

class Cfd : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Cfd, cfd)

    void run(Device& device) override {
        mesh_.emplace(n_, seed());
        const std::vector<float> far(kFarField.begin(), kFarField.end());
        before_.clear();
        device.copy_values(device.variable("cfd_far_field"), far);
        for (const float variable : far) { before_.insert(before_.end(), n_, variable); }
        const std::uint64_t bytes = before_.size() * sizeof(float);
        const DeviceAddress variables = device.upload(before_), old = device.allocate(bytes);
        const DeviceAddress fluxes = device.allocate(bytes), factors = device.allocate(n_ * sizeof(float));
        const DeviceAddress neighbours = device.upload(mesh_->neighbours()), normals = device.upload(mesh_->normals());
        const DeviceAddress volumes = device.upload(mesh_->volumes());
        const auto n = s32(n_);
        const LaunchConfiguration shape{{blocks_for(n_, kBlock)}, {kBlock}};
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("cfd_copy", {{blocks_for(5 * n_, kBlock)}, {kBlock}}, pack_parameters(old, variables, 5 * n));
            device.launch("cfd_step_factor", shape, pack_parameters(n, variables, volumes, factors));
            for (std::int32_t stage = 0; stage < kStages; ++stage) {
                device.launch("cfd_flux", shape, pack_parameters(n, neighbours, normals, variables, fluxes));
                device.launch("cfd_advance", shape, pack_parameters(stage, n, old, variables, factors, fluxes));
            }
        }
        after_ = device.download<float>(variables, before_.size());
    }

    CheckReport check() const override {
        std::vector<double> now(before_.begin(), before_.end());
        std::vector<double> factors(n_), next;
        for (std::int64_t step = 0; step < steps_; ++step) {
            const std::vector<double> old = now;
            for (std::int64_t i = 0; i < n_; ++i) {
                const Derived d(read(now, i));
                factors[i] = 0.5 / (std::sqrt(double{mesh_->volumes()[i]}) * (d.speed + d.sound));
            }
            for (std::int64_t stage = 0; stage < kStages; ++stage) {
                next = old;
                for (std::int64_t i = 0; i < n_; ++i) {
                    const State flux = flux_of(now, i);
                    for (std::int64_t k = 0; k < 5; ++k) {
                        next[i + k * n_] += factors[i] / static_cast<double>(kStages + 1 - stage) * flux[k];
                    }
                }
                now.swap(next);
            }
        }
        return compare_close("variable", after_, now, kTolerance);
    }

  private:
    /// Mach 1.2 along x; density 1.4 and pressure 1, so the speed of sound is 1.
    static constexpr State kFarField{1.4, 1.4 * 1.2, 0.0, 0.0, 1.4 * 0.5 * 1.2 * 1.2 + 1.0 / 0.4};

    struct Derived {
        double velocity[3], speed, pressure, sound;

        explicit Derived(const State& s) {
            double squared = 0;
            for (int k = 0; k < 3; ++k) {
                velocity[k] = s[k + 1] / s[0];
                squared += velocity[k] * velocity[k];
            }
            speed = std::sqrt(squared);
            pressure = 0.4 * (s[4] - 0.5 * s[0] * squared);
            sound = std::sqrt(1.4 * pressure / s[0]);
        }
    };

    State read(const std::vector<double>& variables, std::int64_t i) const {
        State state;
        for (std::int64_t k = 0; k < 5; ++k) { state[k] = variables[i + k * n_]; }
        return state;
    }

    static void add_flux(State& sum, const State& s, const double (&normal)[3]) {
        const Derived d(s);
        double through = 0;
        for (int k = 0; k < 3; ++k) { through += 0.5 * normal[k] * d.velocity[k]; }
        for (int k = 0; k < 5; ++k) { sum[k] += through * s[k]; }
        for (int k = 0; k < 3; ++k) { sum[k + 1] += 0.5 * normal[k] * d.pressure; }
        sum[4] += through * d.pressure;
    }

    State flux_of(const std::vector<double>& variables, std::int64_t i) const {
        const State here = read(variables, i);
        const Derived d(here);
        State sum{};
        for (std::int64_t j = 0; j < kNeighbours; ++j) {
            const std::int32_t neighbour = mesh_->neighbours()[i + j * n_];
            double normal[3], length = 0;
            for (std::int64_t k = 0; k < 3; ++k) {
                normal[k] = mesh_->normals()[i + (j + k * kNeighbours) * n_];
                length += normal[k] * normal[k];
            }
            if (neighbour == TetrahedralMesh::kWing) {
                for (int k = 0; k < 3; ++k) { sum[k + 1] += normal[k] * d.pressure; }
                continue;
            }
            const State there = neighbour >= 0 ? read(variables, neighbour) : kFarField;
            if (neighbour >= 0) {
                const Derived other(there);
                const double factor = -std::sqrt(length) * 0.2 * 0.5 * (d.speed + other.speed + d.sound + other.sound);
                for (int k = 0; k < 5; ++k) { sum[k] += factor * (here[k] - there[k]); }
            }
            add_flux(sum, there, normal);
            add_flux(sum, here, normal);
        }
        return sum;
    }

    const std::int64_t n_ = value(0), steps_ = value(1);
    std::optional<TetrahedralMesh> mesh_;
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Cfd, cfd)

}  // namespace lookahead::workloads::cfd
