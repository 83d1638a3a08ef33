#include "stream.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rechenwerk/stream.h"

bool is_stream(const arguments *a)
{
    if (given(a, "frames") || given(a, "format") || given(a, "window")) return true;
    for (int i = 0; i < 2; i++)
        if (rw_stream_is(a->operands[i])) return true;
    return false;
}

static const struct kind {
    const char *name;
    rw_frame_layout layout;
    int channels;
    rw_dtype dtype;
} kinds[] = {
    {"gray8", RW_FRAME_PIXELS, 1, RW_U8},  {"gray16", RW_FRAME_PIXELS, 1, RW_U16}, {"rgb24", RW_FRAME_PIXELS, 3, RW_U8},
    {"rgb48", RW_FRAME_PIXELS, 3, RW_U16}, {"rgba", RW_FRAME_PIXELS, 4, RW_U8},    {"yuv420p", RW_FRAME_420, 3, RW_U8},
    {"yuv422p", RW_FRAME_422, 3, RW_U8},   {"yuv444p", RW_FRAME_444, 3, RW_U8},
};

/* "1920x1080:rgb24" */
static bool frames_of(const arguments *a, rw_frame_format *format)
{
    const char *text = value_of(a, "frames"), *names[COUNT(kinds) + 1] = {NULL};
    int end = 0;
    long long width, height;
    if (!text) return true;
    for (int i = 0; i < COUNT(kinds); i++) names[i] = kinds[i].name;
    if (sscanf(text, "%lldx%lld:%n", &width, &height, &end) != 2 || !end || width < 1 || height < 1) {
        usage("image: --frames %s: must be size and frame type, such as 1920x1080:rgb24", text);
        return false;
    }
    for (int i = 0; i < COUNT(kinds); i++)
        if (strcmp(text + end, kinds[i].name) == 0) {
            *format = (rw_frame_format){.layout = kinds[i].layout,
                                        .width = width,
                                        .height = height,
                                        .channels = kinds[i].channels,
                                        .dtype = kinds[i].dtype};
            return true;
        }
    usage("image: --frames %s: unknown frame type %s%s", text, text + end, suggest(text + end, names));
    return false;
}

static bool spec_of(const arguments *a, rw_stream_spec *s)
{
    if (!frames_of(a, &s->frames) || !set_options(a, s)) return false;
    s->deadline /= 1000; /* --deadline is in milliseconds */
    return true;
}

/* Files that numbered pictures would replace. */
static int check_numbered(const arguments *a, const char *pattern)
{
    char *path = NULL;
    int code = 0;
    if (given(a, "force") || !rw_stream_is_numbered(pattern)) return 0;
    if (rw_stream_find_output(NULL, pattern, &path) != RW_OK) return usage("image: %s", rw_message(NULL));
    if (path) code = usage("image: '%s' exists already: use --force to overwrite it, or give another name", path);
    rw_free(path);
    return code;
}

/* The screenshot is checked alone: its name is an option's. */
static int check_screenshot(const arguments *a)
{
    const output_file output = {.name = "screenshot", .ending = ".png"};
    if (!given(a, "screenshot")) return 0;
    if (!given(a, "window")) return usage("image: --screenshot needs --window");
    return check_outputs(a, 1, &output, 0, NULL);
}

static int check_files(const arguments *a)
{
    const char *in = a->operands[0], *out = a->operands[1];
    const bool file_in =
                   strcmp(in, "-") && !rw_stream_is_numbered(in) && (access(in, F_OK) == 0 || !given(a, "plugin")),
               file_out = strcmp(out, "-") && strcmp(out, "none") && !rw_stream_is_numbered(out);
    if (!file_in && !file_out) return check_numbered(a, out);
    const output_file output = {.name = "OUT", .operand = out};
    const int code = check_outputs(a, file_out && access(out, F_OK) != 0 ? 1 : 0, &output, file_in, a->operands);
    if (code != 0) return code;
    if (file_out) return strncmp(out, "/dev/", 5) ? check_outputs(a, 1, &output, file_in, a->operands) : 0;
    return check_numbered(a, out);
}

typedef struct show {
    const arguments *arguments;
} show;

static rw_status progress(void *user, const rw_stream_report *r)
{
    const show *s = user;
    if (isatty(STDERR_FILENO) && !given(s->arguments, "quiet")) {
        fprintf(stderr, "\r\033[K  %lld frames, %.1f frames/s, latency %.1f ms, %lld late", (long long)r->frames,
                r->seconds > 0 ? (double)r->frames / r->seconds : 0, 1e3 * r->latency, (long long)r->late);
        fflush(stderr);
    }
    return RW_OK;
}

static void print_report(FILE *to, const arguments *a, const rw_stream_report *r)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    fprintf(to, "%s to %s: %lld frames of %lld x %lld to %lld x %lld pixels in %.3f s, %.1f frames/s\n",
            shown(a->operands[0]), shown(a->operands[1]), (long long)r->frames, (long long)r->in.width,
            (long long)r->in.height, (long long)r->out.width, (long long)r->out.height, r->seconds,
            r->seconds > 0 ? (double)r->frames / r->seconds : 0);
    fprintf(to,
            "  read %s, %s %s; latency %.2f ms (median), %.2f ms (99 %%), %.2f ms (maximum); frames in flight "
            "%.1f (mean), %d (maximum)\n",
            in_units((double)r->bytes_in).text,
            strcmp(a->operands[1], "none") ? "written" : "computed (none is written)",
            in_units((double)r->bytes_out).text, 1e3 * r->latency, 1e3 * r->latency_99, 1e3 * r->latency_max, r->depth,
            r->depth_max);
    if (r->deadline > 0)
        fprintf(to, "  deadline %s: %lld frames late\n", in_time(r->deadline).text, (long long)r->late);
    if (given(a, "window"))
        fprintf(to, "  window: %lld frames shown, %lld skipped\n", (long long)r->shown,
                (long long)(r->frames - r->shown));
}

/* Runs the stream, in a window if one is asked for. */
static rw_status run_window(const arguments *a, rw_device *device, rw_stream_spec *spec, rw_stream_report *report)
{
    const char *file = value_of(a, "screenshot");
    rw_stream_window *window = NULL;
    rw_status status = RW_OK;
    if (given(a, "window")) {
        const rw_stream_window_spec shown = {.title = a->operands[0], .screenshot = file};
        status = rw_stream_window_create(device, &shown, &window);
        spec->show = rw_stream_window_show;
        spec->show_user = window;
    }
    if (status == RW_OK) status = rw_stream_run(device, a->operands[0], a->operands[1], spec, report);
    if (status == RW_OK && window && file) status = rw_stream_window_save(window, file);
    rw_stream_window_destroy(&window);
    return status;
}

int run_stream(const arguments *a, const char *chain)
{
    show s = {.arguments = a};
    rw_stream_spec spec = {.text = chain, .progress = progress, .user = &s};
    rw_stream_report report = {0};
    rw_device *device = NULL;
    int code = spec_of(a, &spec) ? check_screenshot(a) : 2;
    if (code == 0) code = check_files(a);
    if (code != 0) return code;
    spec.cancel = stop_request();
    signal(SIGPIPE, SIG_IGN);
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_status status = open_device(ctx, a, &device);
    if (status == RW_OK) status = run_window(a, device, &spec, &report);
    if (status != RW_OK && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    code = status == RW_OK ? 0 : failed(ctx, status);
    if (status == RW_ERR_INTERRUPTED && report.frames > 0 && strchr(a->operands[1], '%'))
        fprintf(stderr, "%lld frames were written to %s\n", (long long)report.frames, shown(a->operands[1]));
    if (status == RW_OK && !given(a, "quiet"))
        print_report(strcmp(a->operands[1], "-") == 0 ? stderr : stdout, a, &report);
    rw_device_close(&device);
    rw_context_destroy(&ctx);
    return code;
}
