/* Convolution of images of bytes: the kernels of M.-R. Lorbeer (2010), the same in one thread of the host, and images
 * with known results. */
#ifndef RW_LAB_CONVOLUTION_KERNELS_H
#define RW_LAB_CONVOLUTION_KERNELS_H

#include "device/device.h"

enum {
    RW_CONV2D_LINE_MOST = 9,
    RW_CONV2D_WEIGHTS_MOST = RW_CONV2D_LINE_MOST * RW_CONV2D_LINE_MOST,
    RW_CONV2D_CHANNELS_MOST = 4
};

typedef enum rw_conv2d_items { RW_ONE_CHANNEL, RW_FLEXIBLE, RW_RGB } rw_conv2d_items;
typedef enum rw_conv2d_border { RW_CONV2D_SKIP, RW_CONV2D_ZERO, RW_CONV2D_CYCLIC, RW_CONV2D_BORDERS } rw_conv2d_border;
extern const char *const rw_conv2d_border_names[RW_CONV2D_BORDERS];

/* A kernel of the document. It has no flexible one with a tile. */
typedef struct rw_conv2d_variant {
    const char *name;
    rw_conv2d_items items;
    bool read_only; /* stands for the document's texture memory: GLOBAL const u8 *RESTRICT */
    bool tiled;     /* reads from a copy in shared memory */
} rw_conv2d_variant;
enum {
    RW_GREY_GLOBAL,
    RW_GREY_GLOBAL_TILED,
    RW_GREY_READ_ONLY,
    RW_GREY_READ_ONLY_TILED,
    RW_RGB_GLOBAL,
    RW_RGB_GLOBAL_TILED,
    RW_RGB_READ_ONLY,
    RW_RGB_READ_ONLY_TILED,
    RW_FLEXIBLE_GLOBAL,
    RW_FLEXIBLE_READ_ONLY,
    RW_CONV2D_VARIANTS
};
extern const rw_conv2d_variant rw_conv2d_variants[RW_CONV2D_VARIANTS];

typedef struct rw_mask {
    int line;                             /* edge: 3, 5, 7, 9 */
    float weight[RW_CONV2D_WEIGHTS_MOST]; /* [line][line]; row j, column i has the offset (i - line/2, j - line/2) */
    bool truncate;                        /* sums are cut to integers, as in the document; else rounded to nearest */
} rw_mask;
/* Mean of line x line pixels. truncate: weights of seven decimals as the document writes them, 0.1111111. */
rw_mask rw_mask_mean(int line, bool truncate);

typedef struct rw_conv2d {
    rw_program *program;
    rw_kernel *kernel;
    rw_conv2d_items items;
} rw_conv2d;
/* ERR_ARGUMENT: the edge of the mask is even or outside 3 … 9, or the variant is flexible with a tile. */
rw_status rw_conv2d_create(rw_device *device, const rw_conv2d_variant *variant, rw_conv2d_border border,
                           const rw_mask *mask, rw_conv2d *convolution);
void rw_conv2d_free(rw_conv2d *convolution);
/* y <- x convolved; u8 [height][width][channels], at least that many elements, different memory. Channels: 1
 * (RW_ONE_CHANNEL), 3 (RW_RGB) or any number (RW_FLEXIBLE). */
rw_status rw_conv2d_run(const rw_conv2d *convolution, rw_array *x, rw_array *y, int64_t width, int64_t height,
                        int channels, rw_queue *queue);
/* Bytes of shared memory of a group: values (16 + 2 (line/2))^2 f32. */
int64_t rw_conv2d_tile_bytes(rw_conv2d_items items, int line);

/* Reads of 32 bytes by a kernel from global memory on a GPU of compute capability 1.2 or 1.3, which has no cache: for
 * each load instruction and each 16 items of a row, the pieces of 32 bytes that they read from. Border: SKIP, or ZERO,
 * which a kernel with a tile has always. */
int64_t rw_conv2d_loads(rw_conv2d_items items, bool tiled, rw_conv2d_border border, int line, int64_t width,
                        int64_t height, int channels);

/* In one thread, a value after the other; neighbours are tested only where the mask leaves the image. fused: products
 * are not rounded before they are added, as in the kernels; that has an effect only where sums are truncated. */
void rw_conv2d_host(const rw_mask *mask, rw_conv2d_border border, bool fused, int64_t width, int64_t height,
                    int channels, const uint8_t *x, uint8_t *y);

/* CRC-32 of zlib and PNG. */
uint32_t rw_crc32(const void *data, size_t bytes);
/* The test image: G = (3 x + 5 y + (x y >> 3) + 4 ((x ^ y) & 15)) mod 256; channel c of several: (G + 85 c + (c + 1) x)
 * mod 256. */
void rw_conv2d_image(int64_t width, int64_t height, int channels, uint8_t *x);
/* Its mean, rounded to nearest: true if the CRC of the result is known. */
bool rw_conv2d_known_mean(int64_t width, int64_t height, int channels, int line, rw_conv2d_border border,
                          uint32_t *crc);

/* Known answers of a variant on a device: small images with values worked out by hand (means, orientation of the mask,
 * Sobel, clamping) and, with `large`, all known CRCs. *n: images compared. ERR_INTERNAL: which result is wrong. */
rw_status rw_conv2d_check(rw_device *device, const rw_conv2d_variant *variant, bool large, int *n);

#endif
