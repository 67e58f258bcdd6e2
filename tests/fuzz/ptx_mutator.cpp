// libFuzzer's changes of PTX: mostly by statements and words, so that most results still parse and reach the finaliser.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Random = std::minstd_rand;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        lines.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return lines;
}

struct Word {
    std::size_t begin, end;
};
bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '.' || c == '$';
}
std::vector<Word> words_of(const std::string& text) {
    std::vector<Word> words;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_of_word(text[end])) { ++end; }
        if (end > at) { words.push_back({at, end}); }
        at = std::max(end, at + 1);
    }
    return words;
}

/// The kind of a word; words of one kind may replace one another: registers, numbers, and names with opcodes.
int kind_of(const std::string& text, const Word& word) {
    const char first = text[word.begin];
    return first == '%' ? 0 : std::isdigit(static_cast<unsigned char>(first)) != 0 ? 1 : 2;
}

std::size_t below(Random& random, std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

void change_lines(std::string& text, Random& random) {
    std::vector<std::string> lines = lines_of(text);
    if (lines.empty()) { return; }
    const std::size_t one = below(random, lines.size()), other = below(random, lines.size());
    switch (below(random, 3)) {
        case 0:
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(one));
            break;
        case 1: {
            const std::string copy = lines[one];
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(other), copy);
            break;
        }
        default:
            std::swap(lines[one], lines[other]);
    }
    text.clear();
    for (const std::string& line : lines) { text += line; }
}

void change_word(std::string& text, Random& random) {
    const std::vector<Word> words = words_of(text);
    if (words.empty()) { return; }
    const Word to = words[below(random, words.size())];
    for (int attempt = 0; attempt < 20; ++attempt) {
        const Word from = words[below(random, words.size())];
        if (kind_of(text, from) != kind_of(text, to)) { continue; }
        text.replace(to.begin, to.end - to.begin, std::string(text, from.begin, from.end - from.begin));
        return;
    }
}

/// Replaces one modifier of an opcode, such as `.f32`, by another one of the text.
void change_modifier(std::string& text, Random& random) {
    std::vector<Word> modifiers;
    for (const Word& word : words_of(text)) {
        for (std::size_t dot = text.find('.', word.begin); dot < word.end;) {
            const std::size_t end = std::min(text.find('.', dot + 1), word.end);
            modifiers.push_back({dot, end});
            dot = end;
        }
    }
    if (modifiers.empty()) { return; }
    const Word to = modifiers[below(random, modifiers.size())], from = modifiers[below(random, modifiers.size())];
    text.replace(to.begin, to.end - to.begin, std::string(text, from.begin, from.end - from.begin));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    Random random(seed + 1);
    const std::size_t choice = below(random, 8);
    if (choice == 0 || size == 0) { return LLVMFuzzerMutate(data, size, max_size); }
    std::string text(reinterpret_cast<const char*>(data), size);
    if (choice < 3) { change_lines(text, random); }
    if (choice >= 3 && choice < 6) { change_word(text, random); }
    if (choice >= 6) { change_modifier(text, random); }
    const std::size_t length = std::min(text.size(), max_size);
    std::copy_n(text.begin(), length, reinterpret_cast<char*>(data));
    return length;
}
