#include "core/state/archives.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

namespace lookahead {
namespace {

class SavingArchive final : public StateArchive {
  public:
    explicit SavingArchive(boost::archive::binary_oarchive& archive) : StateArchive(false), archive_(archive) {}

  private:
    void bytes(void* data, std::size_t size) override { archive_.save_binary(data, size); }

    boost::archive::binary_oarchive& archive_;
};

class LoadingArchive final : public StateArchive {
  public:
    explicit LoadingArchive(boost::archive::binary_iarchive& archive) : StateArchive(true), archive_(archive) {}

  private:
    void bytes(void* data, std::size_t size) override { archive_.load_binary(data, size); }

    boost::archive::binary_iarchive& archive_;
};

}  // namespace

void state_to(const ByteSink& sink, const StateList& fields) {
    archive_to(sink, [&](boost::archive::binary_oarchive& bytes) {
        SavingArchive archive(bytes);
        fields(archive);
    });
}

std::string state_to_bytes(const StateList& fields) {
    std::string bytes;
    state_to([&](std::string_view piece) { bytes += piece; }, fields);
    return bytes;
}

void state_from(const ByteSource& source, const std::string& what, const StateList& fields) {
    archive_from(source, what, [&](boost::archive::binary_iarchive& from) {
        LoadingArchive archive(from);
        fields(archive);
    });
}

void state_from_bytes(std::string_view bytes, const std::string& what, const StateList& fields) {
    state_from(source_of(bytes), what, fields);
}

std::uint64_t hash_of(const StateList& fields) {
    StateHasher hasher;
    HashingArchive archive(hasher);
    fields(archive);
    return hasher.value();
}

}  // namespace lookahead
