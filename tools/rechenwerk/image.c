/* rechenwerk image IN OUT --op "gauss:sigma=1|sobel|normalize": filters of an image in a file; or --text, one in the
 * expression language. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image_text.h"
#include "rechenwerk/figure.h"
#include "rechenwerk/image.h"
#include "rechenwerk/image_file.h"
#include "stream.h"
#include "transforms.h"

typedef struct work {
    rw_device *device, *host; /* host: where images lie that the device filters in tiles */
    rw_array *x, *y;
    rw_image_filter *filter;
    double megabytes; /* of the device's memory, for tiles; 0: what is free */
    char *chain;
    image_text text;
    bool keep; /* the orientation of IN */
    rw_image_tags tags;
} work;

static int chain_of(const arguments *a, bool stream, char **chain)
{
    if (a->command != &command_spectrum)
        return join_operations(a,
                               stream ? "gauss:sigma=3 (see rechenwerk list filters)"
                                      : "gauss:sigma=3 (see rechenwerk list filters), or --text",
                               chain);
    *chain = strdup(given(a, "linear") ? "grey|spectrum:linear" : "grey|spectrum");
    return *chain ? 0 : usage("%s: no memory for the operations", a->command->name);
}

static int channels_of(const rw_array *a) { return rw_array_ndim(a) == 3 ? (int)rw_array_shape(a, 2) : 1; }

static bool type_of(const arguments *a, rw_dtype *type)
{
    static const rw_dtype types[] = {RW_U8, RW_U16, RW_I16, RW_F16, RW_F32, RW_F64};
    const char *text = value_of(a, "type"), *names[COUNT(types) + 1] = {NULL};
    for (int i = 0; i < COUNT(types); i++) {
        names[i] = rw_dtype_name(types[i]);
        if (text && strcmp(text, names[i]) == 0) {
            *type = types[i];
            text = NULL;
        }
    }
    if (text) usage("image: --type %s: unknown pixel type%s", text, suggest(text, names));
    return !text;
}

/* Width first, as everywhere with images. */
static shape_text pixels_of(const rw_array *a)
{
    shape_text s;
    const int channels = channels_of(a);
    snprintf(s.text, sizeof s.text, "%lld x %lld pixels, %d channel%s, %s", (long long)rw_array_shape(a, 1),
             (long long)rw_array_shape(a, 0), channels, channels == 1 ? "" : "s", rw_dtype_name(rw_array_dtype(a)));
    return s;
}

static rw_status execute(void *user, rw_queue *queue)
{
    work *w = user;
    return rw_image_filter_execute(w->filter, w->x, w->y, queue);
}

static rw_image_spec spec_of(const work *w, rw_dtype y_dtype)
{
    return (rw_image_spec){.text = w->chain,
                           .dtype = rw_array_dtype(w->x),
                           .y_dtype = y_dtype,
                           .width = rw_array_shape(w->x, 1),
                           .height = rw_array_shape(w->x, 0),
                           .channels = channels_of(w->x),
                           .alpha = channels_of(w->x) == 2 || channels_of(w->x) == 4};
}

static rw_status load(work *w, rw_device *device, const char *path)
{
    rw_image_tags_free(&w->tags);
    return rw_image_load_tags(device, path, w->keep, &w->x, &w->tags);
}

static bool orientation_of(const arguments *a, bool *keep)
{
    const char *text = value_of(a, "orientation");
    *keep = text && strcmp(text, "keep") == 0;
    if (!text || *keep || strcmp(text, "apply") == 0) return true;
    usage("%s: --orientation %s: must be apply or keep", a->command->name, text);
    return false;
}

static void release_filter(work *w)
{
    rw_image_filter_destroy(&w->filter);
    rw_array_destroy(&w->x);
    rw_array_destroy(&w->y);
}

static rw_status plan(work *w, rw_dtype y_dtype, rw_image_info *info)
{
    const rw_image_spec spec = spec_of(w, y_dtype);
    rw_status status = rw_image_filter_create(w->device, &spec, &w->filter);
    if (status == RW_OK) status = rw_image_filter_get_info(w->filter, info);
    if (status != RW_OK) return status;
    const int64_t shape[] = {info->height, info->width, info->channels};
    return rw_array_create(w->device, info->dtype, 3, shape, RW_MEMORY_DEVICE, &w->y);
}

static rw_status plan_text(work *w, rw_dtype y_dtype, rw_image_info *info)
{
    const int64_t shape[] = {rw_array_shape(w->x, 0), rw_array_shape(w->x, 1), channels_of(w->x)};
    rw_expr_plan one = {0};
    rw_status status =
        rw_array_create(w->device, y_dtype ? y_dtype : rw_array_dtype(w->x), 3, shape, RW_MEMORY_DEVICE, &w->y);
    if (status == RW_OK) status = create_image_text(&w->text, w->x, w->y, &one);
    info->passes = one.passes;
    info->bytes = one.bytes;
    return status;
}

/* Input and result side by side, where --figure asks for it. */
static rw_status write_figure(rw_context *ctx, const arguments *a, const work *w)
{
    const char *path = value_of(a, "figure"), *slash = strrchr(a->operands[0], '/');
    if (!path) return RW_OK;
    const rw_figure_image images[] = {{slash ? slash + 1 : a->operands[0], w->x},
                                      {w->chain ? w->chain : w->text.text, w->y}};
    return rw_figure_write_images(ctx, path, NULL, COUNT(images), images);
}

static rw_status execute_tiles(void *user, rw_queue *queue RW_UNUSED)
{
    work *w = user;
    const void *x;
    void *y;
    const rw_image_spec spec = spec_of(w, rw_array_dtype(w->y));
    rw_status status = rw_array_read(w->x, &x);
    if (status == RW_OK) status = rw_array_write(w->y, &y);
    return status == RW_OK ? rw_image_filter_tiles(w->device, &spec, x, y, (int64_t)(w->megabytes * 1e6), NULL)
                           : status;
}

/* In tiles, of an image that the device's memory does not hold, or of which --memory leaves it little. */
static rw_status filter_tiles(rw_context *ctx, const arguments *a, work *w, rw_dtype y_dtype, rw_image_info *info,
                              double *seconds)
{
    release_filter(w);
    rw_status status = rw_device_open(ctx, "cpu", &w->host);
    if (status == RW_OK) status = load(w, w->host, a->operands[0]);
    if (status != RW_OK) return status;
    const rw_image_spec spec = spec_of(w, y_dtype);
    /* the shape and type of the result: those of a filter on the host */
    status = rw_image_filter_create(w->host, &spec, &w->filter);
    if (status == RW_OK) status = rw_image_filter_get_info(w->filter, info);
    rw_image_filter_destroy(&w->filter);
    if (status != RW_OK) return status;
    const int64_t shape[] = {info->height, info->width, info->channels};
    status = rw_array_create(w->host, info->dtype, 3, shape, RW_MEMORY_DEVICE, &w->y);
    return status == RW_OK ? timed(a, w->device, execute_tiles, w, seconds) : status;
}

/* A value that is not finite, where operations spread it. */
static rw_status warn_of_spreading(const arguments *a, const work *w, const rw_image_info *info)
{
    const rw_dtype type = rw_array_dtype(w->x);
    const void *x;
    int64_t bad = 0;
    if (!w->chain || !info->spreads || (type != RW_F16 && type != RW_F32 && type != RW_F64)) return RW_OK;
    const rw_status status = rw_array_read(w->x, &x);
    for (int64_t i = 0, n = rw_array_size(w->x); status == RW_OK && i < n; i++)
        bad += type == RW_F64   ? !isfinite(((const double *)x)[i])
               : type == RW_F32 ? !isfinite(((const float *)x)[i])
                                : (((const uint16_t *)x)[i] & 0x7c00) == 0x7c00;
    if (status == RW_OK && bad && !given(a, "quiet"))
        fprintf(
            stderr,
            "rechenwerk: warning: %s has %lld value%s that %s not finite: recursive Gaussians, frequencies and spectra "
            "spread NaN and infinity over whole rows, columns or the image\n",
            a->operands[0], (long long)bad, bad == 1 ? "" : "s", bad == 1 ? "is" : "are");
    return status;
}

static int filter(rw_context *ctx, const arguments *a, work *w)
{
    rw_dtype y_dtype = RW_DTYPE_DEFAULT;
    rw_image_info info = {0};
    double seconds = 0, start, planned;
    char *text = NULL;
    int code = read_image_text(a, &w->text);
    if (code == 0 && !w->text.text) code = chain_of(a, false, &w->chain);
    if (code != 0) return code;
    if (!type_of(a, &y_dtype) || !orientation_of(a, &w->keep) || !number_of(a, "memory", &w->megabytes)) return 2;
    if (given(a, "memory") && !(w->megabytes > 0))
        return usage("image: --memory %s: must be a number of megabytes above 0", value_of(a, "memory"));
    rw_status status = open_device(ctx, a, &w->device);
    show_stage(a, "  reading %s", a->operands[0]);
    if (status == RW_OK) status = load(w, w->device, a->operands[0]);
    show_stage(a, "  compiling");
    start = clock_seconds();
    if (status == RW_OK) status = w->chain ? plan(w, y_dtype, &info) : plan_text(w, y_dtype, &info);
    planned = clock_seconds() - start;
    show_stage(a, NULL);
    const bool tiled = w->chain && (w->megabytes > 0 || status == RW_ERR_MEMORY);
    if (tiled && (status == RW_OK || status == RW_ERR_MEMORY))
        status = filter_tiles(ctx, a, w, y_dtype, &info, &seconds);
    else if (status == RW_OK && w->chain) status = timed(a, w->device, execute, w, &seconds);
    else if (status == RW_OK) status = timed(a, w->device, run_image_text, &w->text, &seconds);
    show_stage(a, "  writing %s", a->operands[1]);
    if (status == RW_OK) status = rw_image_save_tags(w->y, a->operands[1], false, &w->tags);
    if (status == RW_OK) status = write_figure(ctx, a, w);
    if (status == RW_OK) status = warn_of_spreading(a, w, &info);
    show_stage(a, NULL);
    if (status != RW_OK) return failed(ctx, status);
    if (given(a, "quiet")) return 0;
    printf("%s, %s\n", shown(a->operands[0]), pixels_of(w->x).text);
    if (given(a, "verbose") && !tiled &&
        (w->chain ? rw_image_filter_explain(w->filter, &text) : rw_expr_explain(w->text.e, &text)) == RW_OK)
        printf("%s", text);
    rw_free(text);
    printf("  %s: %lld pass%s%s, %s, in %s%s on %s\n", shown(w->chain ? w->chain : w->text.text),
           (long long)info.passes, info.passes == 1 ? "" : "es", w->chain ? "" : " per channel",
           in_units((double)info.bytes).text, in_time(seconds).text,
           tiled      ? ", in tiles, including copies and compilation,"
           : w->chain ? ""
                      : ", including compilation,",
           rw_device_info(w->device)->name);
    if (w->chain && !tiled) printf("  planning and compilation: %s\n", in_time(planned).text);
    printf("  written: %s, %s\n", shown(a->operands[1]), pixels_of(w->y).text);
    if (value_of(a, "figure")) printf("  figure: %s\n", shown(value_of(a, "figure")));
    return 0;
}

static int run_frames(const arguments *a)
{
    char *chain = NULL;
    if (given(a, "text")) return usage("image: --text does not apply to streams: give operations with --op");
    int code = chain_of(a, true, &chain);
    if (code == 0 && given(a, "figure"))
        code = usage("image: --figure does not apply to streams: it draws a "
                     "single image");
    if (code == 0 && given(a, "orientation"))
        code = usage("image: --orientation does not apply to streams: it is applied to each picture");
    if (code == 0 && given(a, "type"))
        code = usage("image: --type does not apply to streams: frames retain their "
                     "type");
    if (code == 0) code = run_stream(a, chain);
    free(chain);
    return code;
}

/* Libraries that add operations and formats: their function rechenwerk_plugin does. */
static int load_plugins(const arguments *a)
{
    for (int i = 0; i < a->ngiven; i++) {
        const char *path = a->given[i].value;
        rw_status (*plugin)(rw_context * context);
        if (strcmp(a->given[i].option->name, "plugin") != 0) continue;
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) return usage("image: --plugin %s: cannot be opened: %s", path, dlerror());
        *(void **)&plugin = dlsym(library, "rechenwerk_plugin");
        if (!plugin) return usage("image: --plugin %s: has no function rechenwerk_plugin", path);
        const rw_status status = plugin(NULL);
        if (status != RW_OK) return failed(NULL, status);
    }
    return 0;
}

static int run(const arguments *a)
{
    const int loaded = load_plugins(a);
    if (loaded != 0) return loaded;
    if (is_stream(a)) return run_frames(a);
    const output_file outputs[] = {{.name = "OUT", .operand = a->operands[1]}, {.name = "figure", .ending = ".png"}};
    int code = check_outputs(a, COUNT(outputs), outputs, 1, a->operands);
    if (code != 0) return code;
    work w = {0};
    rw_context *ctx = make_context(a);
    code = ctx ? filter(ctx, a, &w) : 5;
    release_filter(&w);
    destroy_image_text(&w.text);
    rw_image_tags_free(&w.tags);
    rw_device_close(&w.device);
    rw_device_close(&w.host);
    rw_context_destroy(&ctx);
    free(w.chain);
    return code;
}

#define OPTION_FIGURE                                                                                                  \
    {                                                                                                                  \
        "figure", 0, "FIG.png", "figure of IN and the result side by side with their histograms"                       \
    }

#define OPTION_ORIENTATION                                                                                             \
    {                                                                                                                  \
        "orientation", 0, "apply|keep",                                                                                \
            "orientation of EXIF and TIFF: apply it, or keep the pixels of IN as they are and write it to OUT "        \
            "(default: apply)"                                                                                         \
    }

static const option spectrum_options[] = {
    {"linear", 0, NULL, "linear magnitudes (default: logarithms)"},
    {"type", 't', "TYPE", "type of the result's pixels: u8, u16, i16, f16, f32 or f64 (default: that of the file)"},
    OPTION_FIGURE,
    OPTION_ORIENTATION,
    OPTION_DEVICE,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_FORCE,
};

const command command_spectrum = {
    .name = "spectrum",
    .operands = "IN OUT",
    .least = 2,
    .most = 2,
    .line = "draw the spectrum of an image: magnitudes of its Fourier transform, zero frequency at the centre",
    .more = "The picture has the size of IN. One pixel to the right of the centre is a frequency of 1/width cycles "
            "per pixel; the edges are at 1/2. Black is the smallest magnitude, white the largest.",
    .options = spectrum_options,
    .noptions = COUNT(spectrum_options),
    .run = run,
};

static const option options[] = {
    {"op", 0, "OP", "operations separated by |, such as \"gauss:sigma=1|sobel|normalize\"; may be repeated"},
    {"text", 0, "TEXT",
     "instead of --op: the result o of each channel u, such as \"o = max(u[i+1, j], u[i-1, j]) - u\""},
    {"set", 0, "NAME=VALUE",
     "a parameter of the last operation, or border and value of --text, such as sigma=3 or border=wrap; may be "
     "repeated"},
    {"type", 't', "TYPE", "type of the result's pixels: u8, u16, i16, f16, f32 or f64 (default: that of the file)"},
    {"plugin", 0, "FILE.so",
     "shared library whose function rechenwerk_plugin adds operations or formats; may be "
     "repeated"},
    OPTION_FIGURE,
    OPTION_ORIENTATION,
    {"memory", 0, "MB", "limit of device memory; larger images are processed in tiles (default: the free memory)"},
    STREAM_OPTIONS,
    OPTION_DEVICE,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_FORCE,
};

const command command_image = {
    .name = "image",
    .operands = "IN OUT",
    .least = 2,
    .most = 2,
    .rows = rw_stream_params,
    .line = "filter an image: smoothing, edges, rank filters, morphology, colours, and chains of them",
    .more = "Formats are PNG, PNM, BMP, JPEG, TIFF and .npy, found by the first bytes of IN and the extension of OUT. "
            "Operations and their parameters: rechenwerk list filters. IN and OUT may be streams of frames: - for "
            "standard input or output; .y4m, .clm and .raw files; numbered pictures such as frame-%04d.png; "
            "concatenated PNM or PNG pictures. If OUT is none, nothing is written.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
