/* src/scenario/workload/cdf_infos.c - the size distributions that come with Weir, by name. data/workloads/README.md has
 * their sources in full. */
#include "workload/cdf.h"
#include "workload/embedded.h"
#include <string.h>

/* The nominal means are those from which the published SIRD runs computed their arrival rates. No other source states
 * its mean. */
const struct weir_cdf_info weir_cdf_infos[] = {
    { "wka", "wka_google_rpc.csv", "SIRD's WKa: all RPCs of a Google data centre, from the Homa simulator; mean 2.9 KB",
      true, 2927354 },
    { "wkb", "wkb_facebook_hadoop.csv", "SIRD's WKb: Facebook Hadoop, from the Homa simulator; mean 122 KB", true,
      121848000 },
    { "wkc", "wkc_websearch.csv", "SIRD's WKc: the web search of DCTCP's paper in packets of 1442 bytes; mean 2.5 MB",
      true, 2515857400 },
    { "websearch", "websearch_dctcp.csv",
      "web search of DCTCP's paper, as HPCC's traffic generator has it; mean 1.7 MB", false, 0 },
    { "fb-hadoop", "fb_hadoop.csv", "Facebook Hadoop, as HPCC's traffic generator has it; mean 120 KB", false, 0 },
    { "google-rpc", "google_rpc_2008.csv", "Google RPCs of 2008, as HPCC's traffic generator has them; mean 2.9 KB",
      false, 0 },
    { "alistorage", "alistorage.csv", "Alibaba storage of 2019, from HPCC's traffic generator; mean 41 KB", false, 0 },
    { "datamining", "datamining.csv", "data mining of VL2's paper in packets of 1460 bytes, from dcPIM; mean 7.5 MB",
      false, 0 },
    { "datamining-abm", "datamining_abm.csv", "data mining, finer below a packet, from the ABM simulator; mean 5 MB",
      false, 0 },
    { "datamining-xpass", "datamining_xpass.csv", "data mining, from the scripts of ExpressPass; mean 7.5 MB", false,
      0 },
    { "imc10", "imc10.csv", "university data centres of 2010 in packets of 1460 bytes, from dcPIM; mean 195 KB", false,
      0 },
    { "websearch-packets", "websearch_packets.csv", "web search in packets of 1460 bytes, from dcPIM; mean 1.7 MB",
      false, 0 },
    { "abm-hadoop", "abm_hadoop.csv", "Hadoop with a tail up to 223 MB, from the ABM simulator; mean 3.4 MB", false,
      0 },
    { "webserver-xpass", "webserver_xpass.csv", "web servers, from the scripts of ExpressPass; mean 66 KB", false, 0 },
    { "cachefollower-xpass", "cachefollower_xpass.csv", "cache followers, from the scripts of ExpressPass; mean 713 KB",
      false, 0 },
    { "google-search-rpc", "google_search_rpc.csv",
      "RPCs of Google's search, nearly all tiny, from the Homa simulator; mean 423 B", true, 0 },
    { "fb-keyvalue", "facebook_keyvalue.csv", "Facebook's key-value store, tiny, from the Homa simulator; mean 185 B",
      true, 0 },
    { "fb-cachefollower", "facebook_cachefollower.csv",
      "Facebook's cache followers, from the Homa simulator; mean 687 KB", true, 0 },
    { "fb-webserver", "facebook_webserver.csv", "Facebook's web servers, from the Homa simulator; mean 62 KB", true,
      0 },
    { "heavy-head", "heavy_head.csv", "synthetic, most bytes in short messages, from the Homa simulator; mean 1.2 KB",
      true, 0 },
    { "heavy-middle", "heavy_middle.csv",
      "synthetic, most bytes in the middle sizes, from the Homa simulator; mean 2.4 KB", true, 0 },
    { 0 },
};

static const char *find_text(const char *file)
{
    for (const struct weir_cdf_text *row = weir_cdf_texts; row->file != NULL; row++)
        if (strcmp(row->file, file) == 0)
            return row->text;
    return NULL;
}

const struct weir_cdf_info *weir_cdf_find(const char *name, const char **text)
{
    for (const struct weir_cdf_info *info = weir_cdf_infos; info->name != NULL; info++)
        if (strcmp(info->name, name) == 0) {
            *text = find_text(info->file);
            return *text != NULL ? info : NULL;
        }
    return NULL;
}
