// Cloud physics of a weather model, a thread a column of air: five classes of water beside vapour's (cloud droplets, cloud
// ice, rain, snow), each with one mass a level. Rain and snow fall, in as many steps as the fastest of them needs; then
// each level condenses, evaporates, collects, freezes and melts. After the single-moment schemes of Kessler (1969), Lin,
// Farley and Orville (1983) and Hong, Dudhia and Chen (2004); SI units. What only happens in frost fades in over a kelvin,
// and sudden melting and freezing stop at the temperature where they begin, so that no result jumps where a rounding does.
constexpr int kSide = 8;

constexpr float kPi = 3.14159265f;
constexpr float kFreezing = 273.15f, kAllFrozen = 233.15f;
constexpr float kVapourGas = 461.6f, kHeat = 1004.5f;
constexpr float kVaporise = 2.5e6f, kMelt = 3.5e5f, kSublimate = kVaporise + kMelt;
// Drops and flakes: number N = N0 exp(-slope D), fall speed a D^b. The gamma function at 4 + b, 3 + b and (5 + b) / 2.
constexpr float kRainNumber = 8e6f, kRainA = 841.9f, kRainB = 0.8f, kWater = 1000.0f;
constexpr float kRainGamma4 = 17.837862f, kRainGamma3 = 4.69417421f, kRainGamma5 = 1.82735508f;
constexpr float kSnowNumber = 2e6f, kSnowA = 11.72f, kSnowB = 0.41f, kSnow = 100.0f;
constexpr float kSnowGamma4 = 10.2754041f, kSnowGamma3 = 3.01331498f, kSnowGamma5 = 1.55086068f;

struct Fields {
    float *temperature, *vapour, *cloud, *ice, *rain, *snow;
    const float *pressure, *density, *thickness;
};

__device__ inline float power(float base, float exponent) {
    return expf(exponent * logf(base));
}
__device__ inline float ramp(float value) {
    return fminf(fmaxf(value, 0.0f), 1.0f);
}

// Mass of vapour that saturates a mass of air (Tetens).
__device__ inline float saturation(float t, float pressure, float a, float b) {
    const float partial = fminf(610.78f * expf(a * (t - 273.16f) / (t - b)), 0.9f * pressure);
    return 0.622f * partial / (pressure - partial);
}
__device__ inline float over_water(float t, float pressure) {
    return saturation(t, pressure, 17.2693882f, 35.86f);
}
__device__ inline float over_ice(float t, float pressure) {
    return saturation(t, pressure, 21.8745584f, 7.66f);
}

// The inverse of a size distribution's slope; at most `largest` for the slope.
__device__ inline float inverse_slope(float mass, float air, float number, float substance, float largest) {
    const float slope = sqrtf(sqrtf(kPi * substance * number / (air * fmaxf(mass, 1e-12f))));
    return 1.0f / fminf(slope, largest);
}
__device__ inline float rain_slope(float mass, float air) {
    return inverse_slope(mass, air, kRainNumber, kWater, 8e4f);
}
__device__ inline float snow_number(float t) {
    return kSnowNumber * expf(fminf(fmaxf(0.12f * (kFreezing - t), 0.0f), 10.0f));
}
__device__ inline float snow_slope(float mass, float air, float number) {
    return inverse_slope(mass, air, number, kSnow, 1e5f);
}
// Thin air slows less.
__device__ inline float thinness(float air) {
    return sqrtf(1.28f / air);
}

__device__ inline float rain_speed(float mass, float air) {
    return kRainA * kRainGamma4 / 6.0f * power(rain_slope(mass, air), kRainB) * thinness(air);
}
__device__ inline float snow_speed(float mass, float air, float t) {
    return kSnowA * kSnowGamma4 / 6.0f * power(snow_slope(mass, air, snow_number(t)), kSnowB) * thinness(air);
}

// What leaves a level downwards, no more than it has; `mass` becomes what it has then.
__device__ inline float fall(float& mass, float from_above, float speed, float air, float thickness, float step) {
    const float out = fminf(air * mass * speed, air * mass * thickness / step);
    mass += (from_above - out) * step / (air * thickness);
    return out;
}

// A sink's share where sinks together would take more in a step than there is.
__device__ inline float share(float sinks, float mass, float step) {
    return sinks * step > mass ? mass / (sinks * step) : 1.0f;
}

struct Level {
    float t, vapour, cloud, ice, rain, snow;
};

__device__ void change_phases(Level& s, float pressure, float air, float step) {
    const float frost = kFreezing - s.t, cold = ramp(frost);
    const float water = over_water(s.t, pressure);
    const float viscosity = 1.496e-6f * s.t * sqrtf(s.t) / ((s.t + 120.0f) * air);
    const float diffusion = 8.794e-5f * power(s.t, 1.81f) / pressure;
    const float conduction = 1.414e3f * viscosity * air;
    const float thin = thinness(air);
    const float ventilation = power(viscosity / diffusion, 1.0f / 3.0f) * rsqrtf(viscosity) * sqrtf(thin);

    // Rain: from droplets by themselves and by collection; to vapour.
    const float r = rain_slope(s.rain, air), rb = power(r, kRainB);
    float drops = 1e-3f * fmaxf(s.cloud - 5e-4f, 0.0f);
    float collected = kPi * kRainA * kRainNumber * kRainGamma3 / 4.0f * r * r * r * rb * s.cloud * thin;
    const float rain_surface =
        2.0f * kPi * kRainNumber *
        (0.78f * r * r + 0.31f * sqrtf(kRainA) * kRainGamma5 * ventilation * r * r * sqrtf(r * rb));
    const float over_rain =
        air * kVaporise * kVaporise / (conduction * kVapourGas * s.t * s.t) + 1.0f / (water * diffusion);
    const float lack = fmaxf(water - s.vapour, 0.0f);
    const float evaporated = fminf(fminf(lack / water * rain_surface / over_rain, s.rain / step), 0.5f * lack / step);

    // Snow, which melts or takes part in what happens in frost.
    const float number = snow_number(s.t);
    const float n = snow_slope(s.snow, air, number), nb = power(n, kSnowB);
    const float snow_surface =
        4.0f * number * (0.65f * n * n + 0.44f * sqrtf(kSnowA) * kSnowGamma5 * ventilation * n * n * sqrtf(n * nb));
    float melted = 0.0f, ice_melted = 0.0f;
    float rimed = 0.0f, gathered = 0.0f, flakes = 0.0f, on_ice = 0.0f, on_snow = 0.0f, new_ice = 0.0f,
          frozen_cloud = 0.0f, frozen_rain = 0.0f;
    if (frost <= 0.0f) {
        melted = fminf(conduction / kMelt * -frost * kPi / 2.0f * snow_surface / air, s.snow / step);
        ice_melted = fminf(s.ice, -frost * kHeat / kMelt);
    } else {
        const float saturated = over_ice(s.t, pressure);
        const float crystals = fminf(fmaxf(5.38e7f * power(fmaxf(air * s.ice, 1e-15f), 0.75f), 1e3f), 1e6f);
        const float diameter = fmaxf(fminf(11.9f * sqrtf(air * s.ice / crystals), 5e-4f), 1e-9f);
        const float apart = fabsf(kSnowA * kSnowGamma4 / 6.0f * nb * thin - 1.49e4f * power(diameter, 1.31f));
        gathered = cold * kPi / 4.0f * s.ice * expf(-0.07f * frost) * number * apart *
                   (2.0f * n * n * n + 2.0f * diameter * n * n + diameter * diameter * n);
        rimed = cold * kPi * kSnowA * number * kSnowGamma3 / 4.0f * n * n * n * nb * s.cloud * thin;
        flakes = cold * fmaxf(s.ice - 8.125e-5f / air, 0.0f) / step;

        const float over =
            air * kSublimate * kSublimate / (conduction * kVapourGas * s.t * s.t) + 1.0f / (saturated * diffusion);
        const float excess = s.vapour / saturated - 1.0f, room = 0.5f * (s.vapour - saturated) / step;
        on_ice = cold * fmaxf(4.0f * diameter * crystals * excess / over, -s.ice / step);
        on_snow = cold * fmaxf(snow_surface * excess / over, -s.snow / step);
        if (fabsf(on_ice + on_snow) > fabsf(room)) {
            const float part = room / (on_ice + on_snow);
            on_ice *= part;
            on_snow *= part;
        }
        const float first_mass = 4.92e-11f * power(1e3f * expf(0.1f * frost), 1.33f) / air;
        new_ice = cold * fminf(fmaxf(first_mass - s.ice, 0.0f) / step, fmaxf(room - on_ice - on_snow, 0.0f));

        const float bigg = 100.0f * (expf(0.66f * fminf(frost, 60.0f)) - 1.0f);
        frozen_cloud = bigg * air / (kWater * 3e8f) * s.cloud * s.cloud;
        const float r3 = r * r * r;
        frozen_rain =
            fminf(20.0f * kPi * kPi * bigg * kRainNumber * kWater / air * r3 * r3 * r, s.rain / step - evaporated);
    }
    const float of_cloud = share(drops + collected + rimed + frozen_cloud, s.cloud, step);
    drops *= of_cloud;
    collected *= of_cloud;
    rimed *= of_cloud;
    frozen_cloud *= of_cloud;
    const float of_ice = share(gathered + flakes - fminf(on_ice, 0.0f), s.ice, step);
    gathered *= of_ice;
    flakes *= of_ice;
    if (on_ice < 0.0f) on_ice *= of_ice;

    s.vapour += step * (evaporated - on_ice - on_snow - new_ice);
    s.cloud += ice_melted - step * (drops + collected + rimed + frozen_cloud);
    s.ice += step * (on_ice + new_ice + frozen_cloud - gathered - flakes) - ice_melted;
    s.rain += step * (drops + collected + melted - evaporated - frozen_rain);
    s.snow += step * (rimed + gathered + flakes + on_snow + frozen_rain - melted);
    s.t += step / kHeat *
               (kSublimate * (on_ice + on_snow + new_ice) - kVaporise * evaporated +
                kMelt * (rimed + frozen_cloud + frozen_rain - melted)) -
           kMelt / kHeat * ice_melted;

    // Droplets far below freezing, then droplets in balance with their vapour.
    const float sudden = fminf(fmaxf(s.cloud, 0.0f), fmaxf(kAllFrozen - s.t, 0.0f) * kHeat / kMelt);
    s.cloud -= sudden;
    s.ice += sudden;
    s.t += kMelt / kHeat * sudden;
    const float balance = over_water(s.t, pressure);
    const float condensed = fmaxf(
        (s.vapour - balance) / (1.0f + kVaporise * kVaporise * balance / (kVapourGas * kHeat * s.t * s.t)), -s.cloud);
    s.vapour -= condensed;
    s.cloud += condensed;
    s.t += kVaporise / kHeat * condensed;
}

// Fields are level by level, levels `plane` apart, from the ground up. `substeps` says in how many steps things fell.
extern "C" __global__ void weather_physics(Fields f, float* on_ground, int* substeps, int levels, int pitch, int plane,
                                           float step) {
    const int column = (blockIdx.y * kSide + threadIdx.y) * pitch + blockIdx.x * kSide + threadIdx.x;
    float fastest = 0.0f;
    for (int k = 0, i = column; k < levels; ++k, i += plane) {
        const float air = f.density[i];
        const float speed = fmaxf(rain_speed(f.rain[i], air), snow_speed(f.snow[i], air, f.temperature[i]));
        fastest = fmaxf(fastest, speed / f.thickness[i]);
    }
    const int count = static_cast<int>(fastest * step) + 1;
    substeps[column] = count;

    const float part = step / count;
    float ground = on_ground[column];
    for (int s = 0; s < count; ++s) {
        float rain_flux = 0.0f, snow_flux = 0.0f;
        for (int k = levels - 1, i = column + k * plane; k >= 0; --k, i -= plane) {
            const float air = f.density[i], thickness = f.thickness[i];
            float rain = f.rain[i], snow = f.snow[i];
            rain_flux = fall(rain, rain_flux, rain_speed(rain, air), air, thickness, part);
            snow_flux = fall(snow, snow_flux, snow_speed(snow, air, f.temperature[i]), air, thickness, part);
            f.rain[i] = rain;
            f.snow[i] = snow;
        }
        ground += (rain_flux + snow_flux) * part;
    }
    on_ground[column] = ground;

    for (int k = 0, i = column; k < levels; ++k, i += plane) {
        Level level = {f.temperature[i], f.vapour[i], f.cloud[i], f.ice[i], f.rain[i], f.snow[i]};
        change_phases(level, f.pressure[i], f.density[i], step);
        f.temperature[i] = level.t;
        f.vapour[i] = fmaxf(level.vapour, 0.0f);
        f.cloud[i] = fmaxf(level.cloud, 0.0f);
        f.ice[i] = fmaxf(level.ice, 0.0f);
        f.rain[i] = fmaxf(level.rain, 0.0f);
        f.snow[i] = fmaxf(level.snow, 0.0f);
    }
}
