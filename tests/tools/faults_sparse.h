/* Rows of test_faults.c: the pattern of a matrix in a file, and its picture. */

static rw_pattern seen_pattern;

static void before_pattern(void)
{
    static const char matrix[] = "%%MatrixMarket matrix coordinate complex hermitian\n3 3 3\n1 1 2 0\n2 1 3 4\n3 2 1 1\n";
    OK(rw_file_write(ctx, path_of("hermitian.mtx"), matrix, strlen(matrix)));
}
static rw_status call_pattern(void)
{
    char mtx[256];
    snprintf(mtx, sizeof mtx, "%s", path_of("hermitian.mtx"));
    return rw_pattern_read(ctx, mtx, path_of("hermitian.png"), &seen_pattern);
}
static void result_pattern(void) { note("%d %d %d %d", (int)seen_pattern.entries, seen_pattern.hermitian, (int)seen_pattern.diagonals, (int)seen_pattern.formats[seen_pattern.best].bytes); }
