#include "setting_readers.hpp"
#include "settings.hpp"

#include <fmt/format.h>

#include <array>

namespace reelsd::app {
namespace {

constexpr std::string_view accepted_proxy =
    "http, https or socks5h://[USER:PASSWORD@]HOST:PORT, or none";
constexpr std::string_view accepted_proxies =
    "a list of http, https or socks5h://[USER:PASSWORD@]HOST:PORT, or none";

using credentials = net::s3_credentials;
using gemini = model::gemini_settings;
using openai = model::openai_settings;
using speech = model::speech_settings;
using profile = platform::request_profile;
using remote = model::remote_settings;

constexpr auto server_settings = std::to_array<setting_definition>({
    {"listen",
     parsed<&read_endpoint, &settings::listen>(
         "ADDRESS:PORT, for example 127.0.0.1:8080 or [::1]:8080")
         .by_default("127.0.0.1:8080"),
     "Address and port to serve on. Port 0 chooses a free port."},
    {"public-url",
     parsed<&read_origin, &settings::public_url>("an origin such as https://reels.example.com"),
     "Address at which users reach the dashboard, for links. With https, browsers send the "
     "dashboard's cookies over https only."},
    {"tls-certificate",
     text<&settings::tls_certificate>("a PEM file"),
     "Certificate for HTTPS with the rest of its chain. Needs tls-key; SIGHUP rereads both."},
    {"tls-key", text<&settings::tls_key>("a PEM file"), "Private key of tls-certificate."},
    {"data-dir",
     text<&settings::data_dir>("a directory").by_default("./reelsd-data"),
     "Directory of the private database and of scratch files."},
    {"secret-key-file",
     text<&settings::secret_key_file>("a file of 32 bytes"),
     "Key that seals secrets in the database. Share it between daemons with separate data "
     "directories. Without it, reelsd creates secret-key in data-dir."},
    {"database-url",
     parsed<&read_database_url, &settings::database_url>(
         "postgresql://USER@HOST/NAME, with %40 for an @ in a password, or host=HOST "
         "dbname=NAME, as libpq takes it")
         .secret(),
     "PostgreSQL 15 or later. Without it, reelsd runs a private PostgreSQL in data-dir."},
    {"database-password",
     field<&settings::database_password>().secret(),
     "Password for a database-url that contains none."},
    {"postgres-bin-dir",
     text<&settings::postgres_bin_dir>("a directory"),
     "Directory of initdb and postgres. Without it, reelsd searches for them."},
    {"workers",
     integer<&settings::workers>(0, 256).by_default("16"),
     "Worker threads; 0 serves HTTP only. The built-in analyzer works on at most one reel per "
     "core, with 400 MiB of memory each."},
    {"log-level",
     parsed<&read_named<log_levels, log::level>, &settings::log_level>(
         "debug, info, warning or error")
         .by_default("info"),
     "Least severe level that is logged."},
    {"log-format",
     parsed<&read_named<log_formats, log::format>, &settings::log_format>("text or json")
         .by_default("text"),
     "Format of the log: text for people, json for programs."},
    {"log-file",
     text<&settings::log_file>("a file"),
     "File for the daemon's log, instead of standard error. SIGHUP reopens it."},
});

constexpr auto client_settings = std::to_array<setting_definition>({
    {"metrics-listen",
     parsed<&read_unless_none<&read_endpoint, http::listen_address>, &settings::metrics_listen>(
         "ADDRESS:PORT, for example 10.0.0.11:9464, or none")
         .by_default("none"),
     "Address and port for /metrics alone, over plain HTTP. With none, listen serves /metrics to "
     "loopback clients only."},
    {"share-port",
     flag<&settings::share_port>().by_default("false"),
     "Several daemons with the same data-dir share one port, so that restarts refuse no requests."},
    {"connections-max",
     integer<&settings::connections_max>(1, 1'000'000).by_default("10000"),
     "Open connections, with 5 KiB of memory each (17 KiB with TLS). More get status 503."},
    {"connections-per-address-max",
     integer<&settings::connections_per_address_max>(0, 1'000'000).by_default("1000"),
     "Open connections of one client, which is an IPv4 address or an IPv6 /64. 0 sets no limit."},
    {"proxy-addresses",
     parsed<&read_elements<ip_network>, &settings::proxy_addresses>(
         "a list of IPv4 and IPv6 addresses and networks (10.0.0.0/8), or none")
         .by_default("127.0.0.1,::1"),
     "Addresses that many clients share, such as those of reverse proxies. The limit per address "
     "does not apply to them."},
    {"forwarded-for",
     flag<&settings::forwarded_for>().by_default("false"),
     "Takes the client's address from X-Forwarded-For, if proxy-addresses contains the sender. "
     "Every such proxy must set the field or append to it."},
    {"buffered-bytes-max",
     integer<&settings::buffered_bytes_max>(1'048'576, 68'719'476'736, "bytes")
         .by_default("67108864"),
     "Memory for requests and responses in transit, beyond 4 KiB each."},
    {"reel-cache-bytes-max",
     parsed<&read_cache_size, &settings::reel_cache_bytes_max>(
         "auto, or bytes from 0 to 68719476736")
         .by_default("auto"),
     "Memory for recently read reels, about 6 KB each; 0 turns the cache off. auto is a sixteenth "
     "of the memory, from 64 MiB to 1 GiB."},
});

constexpr auto limit_settings = std::to_array<setting_definition>({
    {"submissions-per-minute",
     integer<&settings::submissions_per_minute>(1, 1'000'000).by_default("10"),
     "Links that an account may submit per minute, unless the account has its own limit."},
    {"concurrent-jobs",
     integer<&settings::concurrent_jobs>(1, 1'000'000).by_default("3"),
     "Pending and processing jobs that an account may have, unless the account has its own limit."},
    {"requests-per-minute",
     integer<&settings::requests_per_minute>(1, 10'000'000).by_default("600"),
     "Other requests that an account may make per minute, unless the account has its own limit."},
    {"video-seconds-max",
     number<&settings::video_seconds_max>(1, 3600, "seconds").by_default("90"),
     "Length of the longest video that is analysed."},
    {"video-bytes-max",
     integer<&settings::video_bytes_max>(1024, 4'294'967'296, "bytes").by_default("104857600"),
     "Size of the largest video that is downloaded."},
});

constexpr auto queue_settings = std::to_array<setting_definition>({
    {"attempts-max",
     integer<&settings::attempts_max>(1, 20).by_default("3"),
     "Maximum attempts per job, including the first."},
    {"retry-base-seconds",
     number<&settings::retry_base>(0, 3600, "seconds").by_default("10"),
     "Delay before the second attempt at a job, doubled before each further one."},
    {"lease-seconds",
     number<&settings::lease>(1, 3600, "seconds").by_default("60"),
     "Length of a lease. Without a renewal, another worker takes the job after it."},
    {"shutdown-drain-seconds",
     number<&settings::shutdown_drain>(0, 600, "seconds").by_default("4"),
     "Time that running jobs have to finish after SIGTERM, before they are released. An "
     "interrupted model call may be billed: allow the time that your model takes to answer."},
    {"webhook-retry-base-seconds",
     number<&settings::webhook_retry_base>(0.05, 3600, "seconds").by_default("5"),
     "Delay before the second delivery of a webhook. Later delays grow from it."},
});

constexpr auto retention_settings = std::to_array<setting_definition>({
    {"results-kept-days",
     days<&settings::results_kept>().by_default("0"),
     "Reels that ended longer ago are deleted, with all their data. 0 keeps them forever."},
    {"usage-kept-days",
     days<&settings::usage_kept>().by_default("0"),
     "Older model calls are deleted, except those of the current month. 0 keeps them forever."},
});

constexpr auto kept_media_settings = std::to_array<setting_definition>({
    {"frames",
     flag<&settings::frames>().by_default("true"),
     "Keeps a small picture of each key moment with a result, about 20 KB each."},
    {"videos-kept-days",
     days<&settings::videos_kept>().by_default("0"),
     "The video of a done reel is kept this long, to be watched and analysed again. 0 keeps none, "
     "and deletes those that are kept."},
    {"videos-kept-bytes-max",
     integer<&settings::videos_bytes_max>(0, 1'125'899'906'842'624, "bytes")
         .by_default("10737418240"),
     "Size of all kept videos together. Beyond it, the oldest are deleted. A larger video is not "
     "kept."},
    {"media-store",
     parsed<&read_media_store, &settings::bucket>("database or s3://BUCKET/PREFIX")
         .by_default("database"),
     "Where kept videos and pictures of key moments are stored: the database, or an S3-compatible "
     "store."},
    {"s3-endpoint",
     parsed<&read_origin, &settings::s3_endpoint>("an origin such as https://s3.example.com"),
     "Address of that store. Buckets are addressed by path."},
    {"s3-region",
     parsed<&read_plain, &settings::s3, &credentials::region>("a region's name")
         .by_default("us-east-1"),
     "Region of the bucket, which signatures name."},
    {"s3-access-key",
     parsed<&read_plain, &settings::s3, &credentials::access_key>("an access key's id").secret(),
     "Access key of the store."},
    {"s3-secret-key",
     parsed<&read_plain, &settings::s3, &credentials::secret_key>("a secret key").secret(),
     "Secret of the access key."},
});

constexpr auto platform_settings = std::to_array<setting_definition>({
    {"platform-url",
     parsed<&read_origin, &settings::platform_url>("an origin such as https://www.instagram.com")
         .by_default("https://www.instagram.com"),
     "Origin that the resolvers request."},
    {"resolvers",
     parsed<&read_set<&read_resolvers, std::vector<std::string>>, &settings::resolvers>(
         "a list of: page, graphql, embed, session, yt-dlp, each once"),
     "Resolvers to try, in this order. Without it: page, graphql, embed, session if "
     "platform-cookies-file is set, and yt-dlp. yt-dlp is skipped where it is not installed."},
    {"yt-dlp-path",
     text<&settings::yt_dlp_path>("a file or a name").by_default("yt-dlp"),
     "Path or name of yt-dlp. A name is searched for in PATH."},
    {"platform-interval-seconds",
     number<&settings::platform_interval>(0, 3600, "seconds").by_default("8"),
     "Mean time between two look-ups by one resolver; each is half to one and a half times as "
     "long. 0 turns pacing off."},
    {"platform-lookups-per-hour",
     integer<&settings::platform_lookups_per_hour>(1, 3600).by_default("40"),
     "Look-ups per hour by one resolver, over all daemons. Ignored while "
     "platform-interval-seconds is 0."},
    {"platform-cooldown-seconds",
     number<&settings::platform_cooldown>(0, 43'200, "seconds").by_default("900"),
     "Pause of a resolver after the platform rate-limits it, doubled each time. 0 turns pauses "
     "off."},
    {"platform-cookies-file",
     text<&settings::platform_cookies_file>("a file that only its owner can read"),
     "Cookies of a signed-in session, for the resolver session and for yt-dlp. The platform may "
     "ban its account: never use your main account."},
    {"session-interval-seconds",
     number<&settings::session_interval>(0, 3600, "seconds").by_default("30"),
     "Mean time between two look-ups with the session, spread like platform-interval-seconds."},
    {"session-lookups-per-hour",
     integer<&settings::session_lookups_per_hour>(1, 3600).by_default("20"),
     "Look-ups per hour with the session, over all daemons. Ignored while "
     "session-interval-seconds is 0."},
    {"canary-link",
     parsed<&read_canary, &settings::canary_link>("the link of a post, or none")
         .by_default("https://www.instagram.com/p/aye83DjauH/"),
     "Link of an existing post, with which reelsd doctor tests each resolver, or none."},
    {"media-hosts",
     parsed<&read_hosts, &settings::media_hosts>("a list of host names and addresses")
         .by_default("cdninstagram.com,fbcdn.net"),
     "Hosts of videos, with their subdomains. An address matches exactly."},
    {"allow-private-addresses",
     flag<&settings::allow_private_addresses>().by_default("false"),
     "media-hosts may be loopback or private addresses and use plain http and any port. For "
     "tests."},
    {"media-networks",
     parsed<&read_elements<ip_network>, &settings::media_networks>(
         "a list of addresses and networks such as 198.18.0.0/15, or none")
         .by_default("none"),
     "Networks that are not public, but that the platform and media hosts may resolve to, for "
     "example behind a tunnel that resolves every name itself. TLS is still required."},
    {"platform-proxy",
     parsed<&read_elements<net::proxy>, &settings::platform_proxies>(accepted_proxies)
         .by_default("none")
         .secret(),
     "Proxies for look-ups, used in turn, each with its own pace and pauses."},
    {"media-proxy",
     parsed<
         &read_set<&read_elements<net::proxy>, std::vector<net::proxy>>, &settings::media_proxies>(
         accepted_proxies)
         .secret(),
     "Proxies for downloads, used in turn. Without it those of platform-proxy are used."},
    {"outgoing-address",
     parsed<&read_outgoing_address, &settings::outgoing_address>(
         "an IP address, an interface, or none")
         .by_default("none"),
     "Local address or interface that look-ups and downloads leave from."},
    {"webhook-proxy",
     parsed<&read_proxy, &settings::webhook_proxy>(accepted_proxy).by_default("none").secret(),
     "Proxy for webhooks. It must refuse private addresses itself."},
    {"webhook-networks",
     parsed<&read_elements<ip_network>, &settings::webhook_networks>(
         "a list of addresses and networks such as 10.0.0.0/8, or none")
         .by_default("none"),
     "Private networks that webhooks may reach, even with plain http and on any port. Every user "
     "can then send requests there."},
    {"dash",
     flag<&settings::dash>().by_default("false"),
     "Joins videos that are served only as separate video and audio tracks."},
    {"ca-file",
     text<&settings::ca_file>("a file"),
     "Certificate authorities for outbound TLS, instead of the system's."},
    {"graphql-root-doc-id",
     parsed<&read_platform_id, &settings::request_profile, &profile::root_doc_id>("up to 20 digits")
         .by_default("27128499623469141"),
     "Document id of the platform's query by short code."},
    {"graphql-root-query",
     field<&settings::request_profile, &profile::root_query_name>().by_default(
         "PolarisPostRootQuery"),
     "Name of the platform's query by short code."},
    {"graphql-logged-out-doc-id",
     parsed<&read_platform_id, &settings::request_profile, &profile::logged_out_doc_id>(
         "up to 20 digits")
         .by_default("27130156389949648"),
     "Document id of the platform's query for visitors who are not logged in."},
    {"graphql-logged-out-query",
     field<&settings::request_profile, &profile::logged_out_query_name>().by_default(
         "PolarisLoggedOutDesktopWWWPostRootContentQuery"),
     "Name of the platform's query for visitors who are not logged in."},
    {"instagram-app-id",
     parsed<&read_platform_id, &settings::request_profile, &profile::app_id>("up to 20 digits")
         .by_default("936619743392459"),
     "Id of the platform's own web application, which queries send."},
    {"browser-user-agent",
     field<&settings::request_profile, &profile::browser_user_agent>().by_default(
         "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
         "Chrome/156.0.0.0 Safari/537.36"),
     "User-Agent of requests for pages and videos."},
    {"graphql-user-agent",
     field<&settings::request_profile, &profile::query_user_agent>().by_default("Mozilla/5.0"),
     "User-Agent of queries."},
});

constexpr auto analysis_settings = std::to_array<setting_definition>({
    {"analyzer",
     parsed<&read_analyzers, &settings::analyzers>(
         "auto, or a list of: gemini, openai, local, each once")
         .by_default("auto"),
     "Analyzers in order of preference; the next one takes over while one is unavailable. auto is "
     "the first that has an API key and a model, else local."},
    {"model-proxy",
     parsed<&read_proxy, &settings::model_proxy>(accepted_proxy).by_default("none").secret(),
     "Proxy for the AI models."},
    {"model-answer-seconds-max",
     parsed<&read_answer_time, &settings::remote, &remote::answer_time_max>(
         "seconds from 1 to 600", value_type::number)
         .by_default("300"),
     "Time that a model may take for one answer."},
    {"output-language",
     parsed<&read_field, &settings::remote, &remote::output_language>(
         "a language's name in English")
         .by_default("English"),
     "Language of summaries and descriptions by models. Transcripts and on-screen text keep their "
     "own."},
    {"model-prices",
     parsed<&read_prices, &settings::model_prices>(
         "model=input/output[/cached],... or model=price/min,... with up to six decimals"),
     "Prices in US dollars per million tokens or minute of audio. They override "
     "model-prices-file."},
    {"model-prices-file",
     text<&settings::model_prices_file>("a file"),
     "Table of prices, instead of the installed one."},
    {"media-helper",
     text<&settings::media_helper>("a file"),
     "The program reelsd-media, instead of the installed one."},
    {"jail",
     parsed<&read_jail_policy, &settings::jail>("require or best-effort").by_default("require"),
     "Whether reelsd-media and yt-dlp need a complete sandbox. best-effort runs them with the "
     "parts that the kernel supports, but decodes no video as root."},
    {"text-models-dir",
     text<&settings::text_models_dir>("a directory"),
     "Directory of the models for on-screen text, instead of the installed one."},
    {"speech-models-dir",
     text<&settings::speech_models_dir>("a directory"),
     "Directory of the models for speech, instead of the installed one."},
});

constexpr auto gemini_settings = std::to_array<setting_definition>({
    {"gemini-api-key",
     key<&settings::gemini, &gemini::key>(),
     "Key of Google's Gemini API.",
     "GEMINI_API_KEY"},
    {"gemini-url",
     parsed<&read_base_address, &settings::gemini, &gemini::url>(
         "an address such as https://generativelanguage.googleapis.com")
         .by_default("https://generativelanguage.googleapis.com"),
     "Base address of the Gemini API, without a version path."},
    {"gemini-model",
     parsed<&read_gemini_model, &settings::gemini, &gemini::model>("a model's name")
         .by_default("gemini-3.8-flash"),
     "Model to request."},
    {"gemini-thinking",
     parsed<&read_thinking, &settings::gemini, &gemini::thinking>(
         "auto, none, minimal, low, medium, high or a number of tokens from -1 to 32768")
         .by_default("auto"),
     "How much the model thinks, which is billed. auto requests as little as the model usually "
     "needs; none leaves it to the model."},
    {"gemini-media-resolution",
     one_of<&settings::gemini, &gemini::media_resolution>("none, low, medium or high")
         .by_default("high"),
     "Resolution at which the model sees frames; small text needs high. none: its default."},
    {"gemini-frame-rate",
     number<&settings::gemini, &gemini::frame_rate>(0, 24).by_default("0"),
     "Frames per second that the model sees. 0 means 2 in videos of up to 45 s, else 1."},
    {"gemini-inline-bytes-max",
     integer<&settings::gemini, &gemini::inline_bytes_max>(0, 73'400'320, "bytes")
         .by_default("14680064"),
     "Size of the largest video that is sent inside the request. Larger ones are uploaded first."},
    {"gemini-safety-threshold",
     one_of<&settings::gemini, &gemini::safety_threshold>(
         "none, OFF, BLOCK_NONE, BLOCK_ONLY_HIGH, BLOCK_MEDIUM_AND_ABOVE or BLOCK_LOW_AND_ABOVE")
         .by_default("OFF"),
     "Level of harm from which the model refuses to describe a video. none: its default."},
    {"gemini-output-tokens-max",
     integer<&settings::gemini, &gemini::output_tokens_max>(1024, 32'768).by_default("16384"),
     "Tokens of an answer, including thinking. Doubled after an answer that was cut off."},
});

constexpr auto openai_settings = std::to_array<setting_definition>({
    {"openai-api-key",
     key<&settings::openai, &openai::key>(),
     "API key, if the server needs one.",
     "OPENAI_API_KEY"},
    {"openai-url",
     parsed<&read_base_address, &settings::openai, &openai::url>(
         "an address such as http://127.0.0.1:8000")
         .by_default("https://api.openai.com"),
     "Base address of the server, without a version path."},
    {"openai-model",
     parsed<&read_plain, &settings::openai, &openai::model>("a model's name"),
     "Model to request. The server is not used without it."},
    {"openai-mode",
     parsed<&read_named<openai_modes, model::openai_mode>, &settings::openai, &openai::mode>(
         "video, video+audio, frames+audio or frames")
         .by_default("video+audio"),
     "What the model receives: the video or frames of it, with or without the audio."},
    {"openai-video-part",
     one_of<&settings::openai, &openai::video_part>("video_url, input_video or file")
         .by_default("video_url"),
     "Type of the message part with a video: input_video for llama.cpp, file for LiteLLM."},
    {"openai-token-limit-name",
     one_of<&settings::openai, &openai::token_limit_name>("max_tokens or max_completion_tokens")
         .by_default("max_tokens"),
     "Name of the token limit in requests. OpenAI's own API needs max_completion_tokens."},
    {"openai-response-format",
     one_of<&settings::openai, &openai::response_format>("json_schema, json_object or none")
         .by_default("json_schema"),
     "How requests ask for the format of the answer."},
    {"openai-output-tokens-max",
     integer<&settings::openai, &openai::output_tokens_max>(1024, 131'072).by_default("16384"),
     "Tokens of an answer. Doubled after an answer that was cut off."},
});

constexpr auto speech_settings = std::to_array<setting_definition>({
    {"transcriber",
     one_of<&settings::transcriber>("local or openai").by_default("local"),
     "What recognises speech: the built-in recogniser (English), or a server, see models.md."},
    {"transcriber-url",
     parsed<&read_base_address, &settings::speech, &speech::url>("an address as in openai-url")
         .by_default("https://api.openai.com"),
     "Base address of the speech server, without a version path."},
    {"transcriber-model",
     parsed<&read_plain, &settings::speech, &speech::model>("a model's name"),
     "Model to request of the speech server."},
    {"transcriber-api-key",
     key<&settings::speech, &speech::key>(),
     "API key of the speech server, if it needs one."},
    {"transcriber-seconds-max",
     parsed<&read_answer_time, &settings::speech, &speech::answer_time_max>(
         "seconds from 1 to 600", value_type::number)
         .by_default("300"),
     "Time that the speech server may take for one video."},
});

constexpr auto search_settings = std::to_array<setting_definition>({
    {"embedder",
     one_of<&settings::embedder>("local, gemini or openai").by_default("local"),
     "How search compares meanings: with the built-in dictionary alone, or also with vectors of a "
     "remote model, which is billed."},
    {"embedding-model",
     parsed<&read_plain, &settings::embedding_model>("a model's name"),
     "Embedding model, instead of gemini-embedding-001 or text-embedding-3-small."},
    {"embedding-dimensions",
     integer<&settings::embedding_dimensions>(0, 3072).by_default("768"),
     "Dimensions of a vector. 0 leaves them to the model."},
});

constexpr auto telegram_settings = std::to_array<setting_definition>({
    {"telegram-token",
     parsed<&read_bot_token, &settings::telegram_token>(
         "a token as Telegram's @BotFather gives it: letters, digits, :, _ and -")
         .secret(),
     "Token of the Telegram bot that takes links in chats. Without it there is no bot."},
    {"telegram-url",
     parsed<&read_base_address, &settings::telegram_url>(
         "an address such as https://api.telegram.org")
         .by_default("https://api.telegram.org"),
     "Base address of the Bot API."},
    {"telegram-proxy",
     parsed<&read_proxy, &settings::telegram_proxy>(accepted_proxy).by_default("none").secret(),
     "Proxy for the Bot API."},
});

constexpr auto groups = std::to_array<setting_group>({
    {"Server", server_settings},
    {"Clients and connections", client_settings},
    {"Limits", limit_settings},
    {"Queue and webhooks", queue_settings},
    {"Retention", retention_settings},
    {"Kept media", kept_media_settings},
    {"Platform", platform_settings},
    {"Analysis", analysis_settings},
    {"Gemini", gemini_settings},
    {"OpenAI-compatible servers", openai_settings},
    {"Speech recognition", speech_settings},
    {"Search", search_settings},
    {"Telegram bot", telegram_settings},
});

}  // namespace

std::span<const setting_group> setting_groups() {
    return groups;
}

const setting_definition* find_setting(std::string_view name) {
    for (const auto& group : groups) {
        for (const auto& definition : group.settings) {
            if (definition.name == name) return &definition;
        }
    }
    return nullptr;
}

std::string accepted_values(const value_reader& value) {
    if (!value.range) return std::string{value.accepted};
    return fmt::format("{} from {} to {}", value.accepted, value.range->least, value.range->most);
}

std::string environment_name(std::string_view setting_name) {
    std::string name{"REELSD_"};
    for (const char c : setting_name) {
        name.push_back(c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c));
    }
    return name;
}

result<void> apply(const setting_definition& definition, std::string_view text, settings& target) {
    if (definition.value.read(text, definition.value, target)) return {};
    return error{
        errc::invalid_argument,
        fmt::format(
            "{}: {} is not allowed; allowed: {}",
            definition.name,
            definition.value.shown == exposure::secret ? "this value" : fmt::format("\"{}\"", text),
            accepted_values(definition.value))};
}

}  // namespace reelsd::app
