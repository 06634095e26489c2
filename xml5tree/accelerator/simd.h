/* Searching and counting bytes, sixteen at a time where SSE2 or little-endian NEON is there. All of it reads [p, end) only. */

#ifndef XML5TREE_SIMD_H
#define XML5TREE_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(XML5TREE_PLAIN) && (defined(__SSE2__) || defined(_M_X64))
#define XML5TREE_SSE2 1
#include <emmintrin.h>
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#elif !defined(XML5TREE_PLAIN) && defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define XML5TREE_NEON 1
#include <arm_neon.h>
#endif

static inline int is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t';
}

/* Return whether a byte may be, or begin, a character that XML forbids, or is a carriage return. */
static inline int may_be_forbidden(uint8_t byte)
{
    return byte == 0xEF || (byte < 0x20 && byte != '\t' && byte != '\n');
}

static inline int starts_with(const uint8_t *p, const uint8_t *stop, const char *text, size_t length)
{
    return (size_t)(stop - p) >= length && memcmp(p, text, length) == 0;
}

/* Return where a text first occurs; NULL where it does not. */
static inline const uint8_t *find_text(const uint8_t *p, const uint8_t *stop, const char *text, size_t length)
{
    while (p < stop && (p = memchr(p, text[0], (size_t)(stop - p))) != NULL) {
        if (starts_with(p, stop, text, length))
            return p;
        p++;
    }
    return NULL;
}

/* Return where a comment, CDATA section or instruction ends that begins here; NULL if none does, or it has no end. */
static inline const uint8_t *skip_section(const uint8_t *p, const uint8_t *stop)
{
    static const struct {
        const char *opening, *closing;
        size_t length, end;
    } SECTIONS[] = {{"<!--", "-->", 4, 3}, {"<![CDATA[", "]]>", 9, 3}, {"<?", "?>", 2, 2}};
    for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++) {
        if (starts_with(p, stop, SECTIONS[i].opening, SECTIONS[i].length)) {
            const uint8_t *end = find_text(p + SECTIONS[i].length, stop, SECTIONS[i].closing, SECTIONS[i].end);
            return end ? end + SECTIONS[i].end : NULL;
        }
    }
    return NULL;
}

#if defined(XML5TREE_SSE2)

static inline unsigned first_bit(unsigned mask)
{
#if defined(_MSC_VER)
    unsigned long index;
    _BitScanForward(&index, mask);
    return (unsigned)index;
#else
    return (unsigned)__builtin_ctz(mask);
#endif
}

#elif defined(XML5TREE_NEON)

/* Return four bits for each byte of a mask, the lowest for the first. */
static inline uint64_t nibbles(uint8x16_t mask)
{
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(mask), 4)), 0);
}

#endif

/* Return where the first byte is that is one of the three, or (`forbids`) may be forbidden; `end` if there is none. `forbids` is
   a constant wherever this is called. */
static inline const uint8_t *find_byte(const uint8_t *p, const uint8_t *end, uint8_t one, uint8_t two, uint8_t three, int forbids)
{
#if defined(XML5TREE_SSE2)
    const __m128i last_control = _mm_set1_epi8(0x1F), lead = _mm_set1_epi8((char)0xEF);
    const __m128i tab = _mm_set1_epi8('\t'), newline = _mm_set1_epi8('\n');
    const __m128i first = _mm_set1_epi8((char)one), second = _mm_set1_epi8((char)two), third = _mm_set1_epi8((char)three);
    for (; end - p >= 16; p += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i found = _mm_or_si128(_mm_cmpeq_epi8(block, second), _mm_cmpeq_epi8(block, third));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(block, first));
        if (forbids) {
            __m128i controls = _mm_cmpeq_epi8(_mm_max_epu8(block, last_control), last_control);
            __m128i space = _mm_or_si128(_mm_cmpeq_epi8(block, tab), _mm_cmpeq_epi8(block, newline));
            controls = _mm_or_si128(_mm_andnot_si128(space, controls), _mm_cmpeq_epi8(block, lead));
            found = _mm_or_si128(found, controls);
        }
        unsigned mask = (unsigned)_mm_movemask_epi8(found);
        if (mask)
            return p + first_bit(mask);
    }
#elif defined(XML5TREE_NEON)
    for (; end - p >= 16; p += 16) {
        uint8x16_t block = vld1q_u8(p);
        uint8x16_t found = vorrq_u8(vceqq_u8(block, vdupq_n_u8(two)), vceqq_u8(block, vdupq_n_u8(three)));
        found = vorrq_u8(found, vceqq_u8(block, vdupq_n_u8(one)));
        if (forbids) {
            uint8x16_t space = vorrq_u8(vceqq_u8(block, vdupq_n_u8('\t')), vceqq_u8(block, vdupq_n_u8('\n')));
            found = vorrq_u8(found, vbicq_u8(vcltq_u8(block, vdupq_n_u8(0x20)), space));
            found = vorrq_u8(found, vceqq_u8(block, vdupq_n_u8(0xEF)));
        }
        uint64_t mask = nibbles(found);
        if (mask)
            return p + (__builtin_ctzll(mask) >> 2);
    }
#endif
    while (p < end && *p != one && *p != two && *p != three && !(forbids && may_be_forbidden(*p)))
        p++;
    return p;
}

/* Return where the first byte is that may be forbidden, or is one of the three; `end` if there is none. */
static inline const uint8_t *find_any(const uint8_t *p, const uint8_t *end, uint8_t one, uint8_t two, uint8_t three)
{
    return find_byte(p, end, one, two, three, 1);
}

/* Add the newlines, and the bytes that continue a character, of at most 255 bytes to two counts. */
static inline void count_few(const uint8_t *p, int size, size_t *newlines, size_t *continuations)
{
    uint8_t lines = 0, rest = 0;
    for (int i = 0; i < size; i++) {
        lines = (uint8_t)(lines + (p[i] == '\n'));
        rest = (uint8_t)(rest + ((p[i] & 0xC0) == 0x80));
    }
    *newlines += lines;
    *continuations += rest;
}

/* Count the newlines, and the bytes that continue a character. Compilers make vectors of blocks. */
static inline void count_bytes(const uint8_t *p, const uint8_t *end, size_t *newlines, size_t *continuations)
{
    *newlines = *continuations = 0;
    for (; end - p >= 128; p += 128)
        count_few(p, 128, newlines, continuations);
    count_few(p, (int)(end - p), newlines, continuations);
}

enum { PLAIN_BLOCK = 384, PLAIN_CONTEXT = 3 }; /* loops of fewer rounds are unrolled */

/* Return whether a block of bytes, after three others, is not as in `is_plain_text`. What begins in the block may end after it.
   Compilers make vectors of the loops. */
static inline int has_wrong(const uint8_t *p, int allows_controls)
{
    uint8_t wrong = 0, controls = 0, high = p[-1] | p[-2] | p[-3], special = 0;
    for (int i = 0; i < PLAIN_BLOCK; i++) {
        high |= p[i];
        controls |= (uint8_t)((p[i] < 0x20) & (p[i] != '\t') & (p[i] != '\n'));
    }
    for (int i = 0; i < PLAIN_BLOCK && controls; i++)
        wrong |= (uint8_t)(!allows_controls | (p[i] == '\0') | (p[i] == '\f') | (p[i] == '\r'));
    for (int i = 0; i < PLAIN_BLOCK && high >= 0x80; i++) {
        wrong |= (uint8_t)(((p[i] & 0xC0) == 0x80) ^ ((p[i - 1] >= 0xC0) | (p[i - 2] >= 0xE0) | (p[i - 3] >= 0xF0)));
        special |= (uint8_t)(((p[i] & 0xFE) == 0xC0) | (p[i] >= 0xF5) | ((p[i - 2] == 0xEF) & (p[i - 1] == 0xBF)));
        special |= (uint8_t)((p[i - 1] == 0xE0) | (p[i - 1] == 0xED) | (p[i - 1] >= 0xF0));
    }
    for (int i = 0; i < PLAIN_BLOCK && special; i++) {
        uint8_t c = p[i], b = p[i - 1];
        wrong |= (uint8_t)(((c & 0xFE) == 0xC0) | (c >= 0xF5) | ((p[i - 2] == 0xEF) & (b == 0xBF) & (c >= 0xBE)));
        wrong |= (uint8_t)(((b == 0xE0) & (c < 0xA0)) | ((b == 0xED) & (c > 0x9F)) | ((b == 0xF0) & (c < 0x90)) |
                           ((b == 0xF4) & (c > 0x8F)));
    }
    return wrong;
}

/* Return whether bytes are UTF-8 whose characters XML allows, without carriage returns, or (`allows_controls`) with control
   characters besides U+0000 and U+000C. */
static inline int is_plain_text(const uint8_t *start, const uint8_t *end, int allows_controls)
{
    uint8_t copy[PLAIN_CONTEXT + PLAIN_BLOCK];
    for (const uint8_t *p = start;; p += PLAIN_BLOCK) {
        const uint8_t *block = p;
        if (p == start || end - p < PLAIN_BLOCK) {
            memset(copy, ' ', sizeof copy);
            if (p > start)
                memcpy(copy, p - PLAIN_CONTEXT, PLAIN_CONTEXT);
            memcpy(copy + PLAIN_CONTEXT, p, (size_t)(end - p < PLAIN_BLOCK ? end - p : PLAIN_BLOCK));
            block = copy + PLAIN_CONTEXT;
        }
        if (has_wrong(block, allows_controls))
            return 0;
        if (end - p < PLAIN_BLOCK)
            return 1;
    }
}

/* Return how many more elements begin than end in a block, of which one more byte is looked at. */
static inline int unended_in(const uint8_t *p, int size)
{
    uint8_t starts = 0, ends = 0;
    for (int i = 0; i < size; i++) {
        starts += (uint8_t)((p[i] == '<') & (p[i + 1] != '/') & (p[i + 1] != '!') & (p[i + 1] != '?'));
        ends += (uint8_t)(((p[i] == '<') & (p[i + 1] == '/')) | ((p[i] == '/') & (p[i + 1] == '>')));
    }
    return starts - ends;
}

/* Return how many more elements begin than end, as far as pairs of bytes tell. Compilers make vectors of blocks. */
static inline long long count_unended(const uint8_t *p, const uint8_t *end)
{
    long long unended = 0;
    for (; end - p > 128; p += 128) {
        uint8_t brackets = 0;
        for (int i = 0; i < 129; i++)
            brackets |= (uint8_t)((p[i] == '<') | (p[i] == '>'));
        if (brackets)
            unended += unended_in(p, 128);
    }
    for (; end - p > 16; p += 16)
        unended += unended_in(p, 16);
    return end - p > 1 ? unended + unended_in(p, (int)(end - p - 1)) : unended;
}

#endif
