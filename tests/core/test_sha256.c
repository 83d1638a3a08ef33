/* SHA-256: the examples of FIPS 180-4, pieces of any length, and `sha256sum` as an independent oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"

static void test_published(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hex;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
         "nopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    char hex[65];
    for (int i = 0; i < RW_COUNT(rows); i++) {
        rw_sha256_hex(rows[i].text, strlen(rows[i].text), hex);
        assert_string_equal(hex, rows[i].hex);
    }
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    rw_sha256_hex(million, 1000000, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void fill(uint8_t *data, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) data[i] = (uint8_t)rw_random_u64(seed, i);
}

static void test_pieces(void **state)
{
    (void)state;
    uint8_t data[1000], whole[32], pieces[32];
    fill(data, sizeof(data), 1);
    rw_sha256 s;
    rw_sha256_begin(&s);
    rw_sha256_add(&s, data, sizeof(data));
    rw_sha256_end(&s, whole);
    for (uint64_t k = 0; k < 100; k++) {
        rw_sha256_begin(&s);
        rw_sha256_add(&s, NULL, 0);
        for (size_t done = 0, j = 0; done < sizeof(data); j++) {
            size_t piece = rw_random_u64(2 + k, j) % 200;
            piece = RW_MIN(piece, sizeof(data) - done);
            rw_sha256_add(&s, data + done, piece);
            done += piece;
        }
        rw_sha256_end(&s, pieces);
        assert_memory_equal(whole, pieces, 32);
    }
}

/* Every length around the edges of the blocks, where the padding changes, and random ones. */
static void test_against_sha256sum(void **state)
{
    (void)state;
    if (system("command -v sha256sum >/dev/null 2>&1") != 0) skip();
    char folder[] = "rw-sha256-XXXXXX", path[64], command[96];
    assert_non_null(mkdtemp(folder));
    static uint8_t data[6000];
    fill(data, sizeof(data), 3);
    enum { EDGES = 200, N = EDGES + 40 };
    size_t lengths[N];
    for (size_t i = 0; i < N; i++) {
        lengths[i] = i < EDGES ? i : rw_random_u64(4, i) % sizeof(data);
        snprintf(path, sizeof(path), "%s/%03zu", folder, i);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(data, 1, lengths[i], file), lengths[i]);
        fclose(file);
    }
    snprintf(command, sizeof(command), "sha256sum %s/*", folder);
    FILE *sums = popen(command, "r");
    assert_non_null(sums);
    char line[256], hex[65];
    for (size_t i = 0; i < N; i++) {
        assert_non_null(fgets(line, sizeof(line), sums));
        rw_sha256_hex(data, lengths[i], hex);
        assert_memory_equal(line, hex, 64);
    }
    assert_int_equal(pclose(sums), 0);
    for (size_t i = 0; i < N; i++) {
        snprintf(path, sizeof(path), "%s/%03zu", folder, i);
        unlink(path);
    }
    rmdir(folder);
}

static int plain(void **state)
{
    (void)state;
    rw_sha256_plain = true;
    return 0;
}

static int fast(void **state)
{
    (void)state;
    rw_sha256_plain = false;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_against_sha256sum),
        cmocka_unit_test_setup_teardown(test_published, plain, fast),
        cmocka_unit_test_setup_teardown(test_pieces, plain, fast),
        cmocka_unit_test_setup_teardown(test_against_sha256sum, plain, fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
