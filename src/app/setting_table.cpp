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
     "127.0.0.1:8080",
     parsed<&read_endpoint, &settings::listen>(
         "ADDRESS:PORT, for example 127.0.0.1:8080 or [::1]:8080"),
     "Address and port to serve on. Port 0 takes a free one."},
    {"public-url",
     "",
     parsed<&read_origin, &settings::public_url>("an origin such as https://reels.example.com"),
     "Address at which users reach the dashboard, for links. With https, browsers send the "
     "dashboard's cookies over https only."},
    {"tls-certificate",
     "",
     text<&settings::tls_certificate>("a PEM file"),
     "Certificate for HTTPS with the rest of its chain. Needs tls-key; SIGHUP rereads both."},
    {"tls-key", "", text<&settings::tls_key>("a PEM file"), "Private key of tls-certificate."},
    {"data-dir",
     "./reelsd-data",
     text<&settings::data_dir>("a directory"),
     "Directory of the private database and of scratch files."},
    {"database-url",
     "",
     parsed<&read_database_url, &settings::database_url>(
         "postgresql://USER@HOST/NAME or host=HOST dbname=NAME, as libpq takes it"),
     "PostgreSQL 15 or later. Without it, reelsd runs a private PostgreSQL in data-dir.",
     exposure::secret},
    {"database-password",
     "",
     field<&settings::database_password>(),
     "Password for a database-url that contains none.",
     exposure::secret},
    {"postgres-bin-dir",
     "",
     text<&settings::postgres_bin_dir>("a directory"),
     "Directory of initdb and postgres. Without it, reelsd searches for them."},
    {"workers",
     "16",
     integer<&settings::workers>(0, 256),
     "Worker threads; 0 serves HTTP only. The built-in analyzer works on at most one reel per "
     "core, with 400 MiB of memory each."},
    {"log-level",
     "info",
     parsed<&read_named<log_levels, log::level>, &settings::log_level>(
         "debug, info, warning or error"),
     "Least severe level that is logged."},
    {"log-format",
     "text",
     parsed<&read_named<log_formats, log::format>, &settings::log_format>("text or json"),
     "Format of the log: text for people, json for programs."},
    {"log-file",
     "",
     text<&settings::log_file>("a file"),
     "File for the daemon's log, instead of standard error. SIGHUP reopens it."},
});

constexpr auto client_settings = std::to_array<setting_definition>({
    {"metrics-listen",
     "none",
     parsed<&read_unless_none<&read_endpoint, http::listen_address>, &settings::metrics_listen>(
         "ADDRESS:PORT, for example 10.0.0.11:9464, or none"),
     "Address and port for /metrics alone, over plain HTTP. With none, listen serves /metrics to "
     "clients on the same machine."},
    {"share-port",
     "false",
     flag<&settings::share_port>(),
     "Several daemons with the same data-dir share one port, for restarts that refuse no request."},
    {"connections-max",
     "10000",
     integer<&settings::connections_max>(1, 1'000'000),
     "Open connections, with 5 KiB of memory each (17 KiB with TLS). More get status 503."},
    {"connections-per-address-max",
     "1000",
     integer<&settings::connections_per_address_max>(0, 1'000'000),
     "Open connections of one client, which is an IPv4 address or an IPv6 /64. 0 sets no limit."},
    {"proxy-addresses",
     "127.0.0.1,::1",
     parsed<&read_elements<ip_network>, &settings::proxy_addresses>(
         "a list of IPv4 and IPv6 addresses and networks (10.0.0.0/8), or none"),
     "Addresses that many clients share, such as those of reverse proxies. The limit per address "
     "does not apply to them."},
    {"forwarded-for",
     "false",
     flag<&settings::forwarded_for>(),
     "The client's address is the X-Forwarded-For field of requests from proxy-addresses. Each of "
     "these proxies must set the field itself."},
    {"buffered-bytes-max",
     "67108864",
     integer<&settings::buffered_bytes_max>(1'048'576, 68'719'476'736, "bytes"),
     "Memory for requests and responses in transit, beyond 4 KiB each."},
    {"reel-cache-bytes-max",
     "auto",
     parsed<&read_cache_size, &settings::reel_cache_bytes_max>(
         "auto, or bytes from 0 to 68719476736"),
     "Memory for recently read reels, about 6 KB each; 0 turns the cache off. auto is a sixteenth "
     "of the memory, from 64 MiB to 1 GiB."},
});

constexpr auto limit_settings = std::to_array<setting_definition>({
    {"submissions-per-minute",
     "10",
     integer<&settings::submissions_per_minute>(1, 1'000'000),
     "Links that an account may submit per minute, unless the account has its own limit."},
    {"concurrent-jobs",
     "3",
     integer<&settings::concurrent_jobs>(1, 1'000'000),
     "Pending and processing jobs that an account may have, unless the account has its own limit."},
    {"requests-per-minute",
     "600",
     integer<&settings::requests_per_minute>(1, 10'000'000),
     "Other requests that an account may make per minute, unless the account has its own limit."},
    {"video-seconds-max",
     "90",
     number<&settings::video_seconds_max>(1, 3600, "seconds"),
     "Length of the longest video that is analysed."},
    {"video-bytes-max",
     "104857600",
     integer<&settings::video_bytes_max>(1024, 4'294'967'296, "bytes"),
     "Size of the largest video that is downloaded."},
});

constexpr auto queue_settings = std::to_array<setting_definition>({
    {"attempts-max", "3", integer<&settings::attempts_max>(1, 20), "Attempts at one job."},
    {"retry-base-seconds",
     "10",
     number<&settings::retry_base>(0, 3600, "seconds"),
     "Delay before the second attempt at a job, doubled before each further one."},
    {"lease-seconds",
     "60",
     number<&settings::lease>(1, 3600, "seconds"),
     "Time after which a silent worker loses its job."},
    {"shutdown-drain-seconds",
     "4",
     number<&settings::shutdown_drain>(0, 600, "seconds"),
     "Time that running jobs have to finish after SIGTERM, before they are released. An "
     "interrupted model call may be billed: allow the time that your model takes to answer."},
    {"webhook-retry-base-seconds",
     "5",
     number<&settings::webhook_retry_base>(0.05, 3600, "seconds"),
     "Delay before the second delivery of a webhook. Later delays grow from it."},
});

constexpr auto retention_settings = std::to_array<setting_definition>({
    {"results-kept-days",
     "0",
     days<&settings::results_kept>(),
     "Reels that ended longer ago are deleted, with all their data. 0 keeps them forever."},
    {"usage-kept-days",
     "0",
     days<&settings::usage_kept>(),
     "Older model calls are deleted, except those of the current month. 0 keeps them forever."},
});

constexpr auto kept_media_settings = std::to_array<setting_definition>({
    {"frames",
     "true",
     flag<&settings::frames>(),
     "Keeps a small picture of each key moment with a result, about 20 KB each."},
    {"videos-kept-days",
     "0",
     days<&settings::videos_kept>(),
     "The video of a done reel is kept this long, to be watched and analysed again. 0 keeps none, "
     "and deletes those that are kept."},
    {"videos-kept-bytes-max",
     "10737418240",
     integer<&settings::videos_bytes_max>(0, 1'125'899'906'842'624, "bytes"),
     "Size of all kept videos together. Beyond it, the oldest are deleted."},
    {"media-store",
     "database",
     parsed<&read_media_store, &settings::bucket>("database or s3://BUCKET/PREFIX"),
     "Where kept videos and pictures of key moments are stored: the database, or an S3-compatible "
     "store."},
    {"s3-endpoint",
     "",
     parsed<&read_origin, &settings::s3_endpoint>("an origin such as https://s3.example.com"),
     "Address of that store. Buckets are addressed by path."},
    {"s3-region",
     "us-east-1",
     parsed<&read_plain, &settings::s3, &credentials::region>("a region's name"),
     "Region of the bucket, which signatures name."},
    {"s3-access-key",
     "",
     parsed<&read_plain, &settings::s3, &credentials::access_key>("an access key's id"),
     "Access key of the store.",
     exposure::secret},
    {"s3-secret-key",
     "",
     parsed<&read_plain, &settings::s3, &credentials::secret_key>("a secret key"),
     "Secret of the access key.",
     exposure::secret},
});

constexpr auto platform_settings = std::to_array<setting_definition>({
    {"platform-url",
     "https://www.instagram.com",
     parsed<&read_origin, &settings::platform_url>("an origin such as https://www.instagram.com"),
     "Origin that the resolvers request."},
    {"resolvers",
     "",
     parsed<&read_set<&read_resolvers, std::vector<std::string>>, &settings::resolvers>(
         "a list of: page, graphql, embed, session, yt-dlp, each once"),
     "Resolvers to try, in this order. Without it: page, graphql, embed, session if "
     "platform-cookies-file is set, and yt-dlp. yt-dlp is skipped where it is not installed."},
    {"yt-dlp-path",
     "yt-dlp",
     text<&settings::yt_dlp_path>("a file or a name"),
     "The program yt-dlp. A name is searched for in PATH."},
    {"platform-interval-seconds",
     "8",
     number<&settings::platform_interval>(0, 3600, "seconds"),
     "Mean time between two look-ups by one resolver; each is half to one and a half times as "
     "long. 0 turns pacing off."},
    {"platform-lookups-per-hour",
     "40",
     integer<&settings::platform_lookups_per_hour>(1, 3600),
     "Look-ups per hour by one resolver, over all daemons. Ignored while "
     "platform-interval-seconds is 0."},
    {"platform-cooldown-seconds",
     "900",
     number<&settings::platform_cooldown>(0, 43'200, "seconds"),
     "Pause of a resolver after the platform rate-limits it, doubled each time. 0 turns pauses "
     "off."},
    {"platform-cookies-file",
     "",
     text<&settings::platform_cookies_file>("a file that only its owner can read"),
     "Cookies of a signed-in session, for the resolver session and for yt-dlp. The platform may "
     "ban its account: never use your main account."},
    {"session-interval-seconds",
     "30",
     number<&settings::session_interval>(0, 3600, "seconds"),
     "Mean time between two look-ups with the session, spread like platform-interval-seconds."},
    {"session-lookups-per-hour",
     "20",
     integer<&settings::session_lookups_per_hour>(1, 3600),
     "Look-ups per hour with the session, over all daemons. Ignored while "
     "session-interval-seconds is 0."},
    {"canary-link",
     "https://www.instagram.com/p/aye83DjauH/",
     parsed<&read_canary, &settings::canary_link>("the link of a post, or none"),
     "Link of an existing post, with which reelsd doctor tests each resolver, or none."},
    {"media-hosts",
     "cdninstagram.com,fbcdn.net",
     parsed<&read_list, &settings::media_hosts>("a list of host names and addresses"),
     "Hosts of videos, with their subdomains. An address matches exactly."},
    {"allow-private-addresses",
     "false",
     flag<&settings::allow_private_addresses>(),
     "media-hosts may be loopback or private addresses and use plain http and any port. For "
     "tests."},
    {"media-networks",
     "none",
     parsed<&read_elements<ip_network>, &settings::media_networks>(
         "a list of addresses and networks such as 198.18.0.0/15, or none"),
     "Networks that the platform and media hosts may resolve to although they are not public, as "
     "behind a tunnel that answers every name itself. TLS is still required."},
    {"platform-proxy",
     "none",
     parsed<&read_elements<net::proxy>, &settings::platform_proxies>(accepted_proxies),
     "Proxies for look-ups, used in turn, each with its own pace and pauses.",
     exposure::secret},
    {"media-proxy",
     "",
     parsed<
         &read_set<&read_elements<net::proxy>, std::vector<net::proxy>>, &settings::media_proxies>(
         accepted_proxies),
     "Proxies for downloads, used in turn. Without it those of platform-proxy are used.",
     exposure::secret},
    {"outgoing-address",
     "none",
     parsed<&read_outgoing_address, &settings::outgoing_address>(
         "an IP address, an interface, or none"),
     "Local address or interface that look-ups and downloads leave from."},
    {"webhook-proxy",
     "none",
     parsed<&read_proxy, &settings::webhook_proxy>(accepted_proxy),
     "Proxy for webhooks. It must refuse private addresses itself.",
     exposure::secret},
    {"webhook-networks",
     "none",
     parsed<&read_elements<ip_network>, &settings::webhook_networks>(
         "a list of addresses and networks such as 10.0.0.0/8, or none"),
     "Private networks that webhooks may reach, also with plain http and on any port. Every user "
     "can then send requests there."},
    {"dash",
     "false",
     flag<&settings::dash>(),
     "Videos that are served only as separate video and audio tracks are joined."},
    {"ca-file",
     "",
     text<&settings::ca_file>("a file"),
     "Certificate authorities for outbound TLS, instead of the system's."},
    {"graphql-root-doc-id",
     "27128499623469141",
     parsed<&read_platform_id, &settings::request_profile, &profile::root_doc_id>(
         "up to 20 digits"),
     "Document id of the platform's query by short code."},
    {"graphql-root-query",
     "PolarisPostRootQuery",
     field<&settings::request_profile, &profile::root_query_name>(),
     "Name of the platform's query by short code."},
    {"graphql-logged-out-doc-id",
     "27130156389949648",
     parsed<&read_platform_id, &settings::request_profile, &profile::logged_out_doc_id>(
         "up to 20 digits"),
     "Document id of the platform's query for visitors who are not logged in."},
    {"graphql-logged-out-query",
     "PolarisLoggedOutDesktopWWWPostRootContentQuery",
     field<&settings::request_profile, &profile::logged_out_query_name>(),
     "Name of the platform's query for visitors who are not logged in."},
    {"instagram-app-id",
     "936619743392459",
     parsed<&read_platform_id, &settings::request_profile, &profile::app_id>("up to 20 digits"),
     "Id of the platform's own web application, which queries send."},
    {"browser-user-agent",
     "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
     "Chrome/156.0.0.0 Safari/537.36",
     field<&settings::request_profile, &profile::browser_user_agent>(),
     "User-Agent of requests for pages and videos."},
    {"graphql-user-agent",
     "Mozilla/5.0",
     field<&settings::request_profile, &profile::query_user_agent>(),
     "User-Agent of queries."},
});

constexpr auto analysis_settings = std::to_array<setting_definition>({
    {"analyzer",
     "auto",
     parsed<&read_analyzers, &settings::analyzers>(
         "auto, or a list of: gemini, openai, local, each once"),
     "Analyzers in order of preference; the next one takes over while one is unavailable. auto is "
     "the first that has an API key, else local."},
    {"model-proxy",
     "none",
     parsed<&read_proxy, &settings::model_proxy>(accepted_proxy),
     "Proxy for the AI models.",
     exposure::secret},
    {"model-answer-seconds-max",
     "300",
     parsed<&read_whole_seconds, &settings::remote, &remote::answer_time_max>(
         "whole seconds from 1 to 600", value_type::number),
     "Time that a model may take for one answer."},
    {"output-language",
     "English",
     parsed<&read_field, &settings::remote, &remote::output_language>(
         "a language's name in English"),
     "Language of summaries and descriptions by models. Transcripts and on-screen text stay in "
     "theirs."},
    {"model-prices",
     "",
     parsed<&read_prices, &settings::model_prices>(
         "model=input/output[/cached],... or model=price/min,... with up to six decimals"),
     "Prices in US dollars per million tokens or minute of audio, before model-prices-file."},
    {"model-prices-file",
     "",
     text<&settings::model_prices_file>("a file"),
     "Table of prices, instead of the installed one."},
    {"media-helper",
     "",
     text<&settings::media_helper>("a file"),
     "The program reelsd-media, instead of the installed one."},
    {"jail",
     "require",
     parsed<&read_jail_policy, &settings::jail>("require or best-effort"),
     "Whether reelsd-media and yt-dlp need a complete sandbox. best-effort runs them with the "
     "parts that the kernel supports, but decodes no video as root."},
    {"text-models-dir",
     "",
     text<&settings::text_models_dir>("a directory"),
     "Directory of the models for on-screen text, instead of the installed one."},
    {"speech-model-dir",
     "/usr/share/pocketsphinx/model/en-us",
     text<&settings::speech_model_dir>("a directory"),
     "Directory of PocketSphinx's English model."},
});

constexpr auto gemini_settings = std::to_array<setting_definition>({
    {"gemini-api-key",
     "",
     key<&settings::gemini, &gemini::key>(),
     "Key of Google's Gemini API.",
     exposure::secret,
     "GEMINI_API_KEY"},
    {"gemini-url",
     "https://generativelanguage.googleapis.com",
     parsed<&read_base_address, &settings::gemini, &gemini::url>(
         "an address such as https://generativelanguage.googleapis.com"),
     "Base address of the Gemini API, without a version path."},
    {"gemini-model",
     "gemini-3.8-flash",
     parsed<&read_model_name, &settings::gemini, &gemini::model>("a model's name"),
     "Model to request."},
    {"gemini-thinking",
     "auto",
     parsed<&read_thinking, &settings::gemini, &gemini::thinking>(
         "auto, none, minimal, low, medium, high or a number of tokens from -1 to 32768"),
     "How much the model thinks, which is billed. auto requests as little as the model usually "
     "needs; none leaves it to the model."},
    {"gemini-media-resolution",
     "high",
     one_of<&settings::gemini, &gemini::media_resolution>("none, low, medium or high"),
     "Resolution at which the model sees frames; small text needs high. none: its default."},
    {"gemini-frame-rate",
     "0",
     number<&settings::gemini, &gemini::frame_rate>(0, 24),
     "Frames per second that the model sees. 0 means 2 in videos of up to 45 s, else 1."},
    {"gemini-inline-bytes-max",
     "14680064",
     integer<&settings::gemini, &gemini::inline_bytes_max>(0, 73'400'320, "bytes"),
     "Size of the largest video that is sent inside the request. Larger ones are uploaded first."},
    {"gemini-safety-threshold",
     "OFF",
     one_of<&settings::gemini, &gemini::safety_threshold>(
         "none, OFF, BLOCK_NONE, BLOCK_ONLY_HIGH, BLOCK_MEDIUM_AND_ABOVE or BLOCK_LOW_AND_ABOVE"),
     "Level of harm from which the model refuses to describe a video. none: its default."},
    {"gemini-output-tokens-max",
     "16384",
     integer<&settings::gemini, &gemini::output_tokens_max>(1024, 32'768),
     "Tokens of an answer, including thinking. Doubled after an answer that was cut off."},
});

constexpr auto openai_settings = std::to_array<setting_definition>({
    {"openai-api-key",
     "",
     key<&settings::openai, &openai::key>(),
     "API key, if the server needs one.",
     exposure::secret,
     "OPENAI_API_KEY"},
    {"openai-url",
     "https://api.openai.com",
     parsed<&read_base_address, &settings::openai, &openai::url>(
         "an address such as http://127.0.0.1:8000"),
     "Base address of the server, without a version path."},
    {"openai-model",
     "",
     parsed<&read_plain, &settings::openai, &openai::model>("a model's name"),
     "Model to request. The server is not used without it."},
    {"openai-mode",
     "video+audio",
     parsed<&read_named<openai_modes, model::openai_mode>, &settings::openai, &openai::mode>(
         "video, video+audio, frames+audio or frames"),
     "What the model receives: the video or frames of it, with or without the audio."},
    {"openai-video-part",
     "video_url",
     one_of<&settings::openai, &openai::video_part>("video_url, input_video or file"),
     "Type of the message part with a video: input_video for llama.cpp, file for LiteLLM."},
    {"openai-token-limit-name",
     "max_tokens",
     one_of<&settings::openai, &openai::token_limit_name>("max_tokens or max_completion_tokens"),
     "Name of the token limit in requests. OpenAI's own API needs max_completion_tokens."},
    {"openai-response-format",
     "json_schema",
     one_of<&settings::openai, &openai::response_format>("json_schema, json_object or none"),
     "How requests ask for the format of the answer."},
    {"openai-output-tokens-max",
     "16384",
     integer<&settings::openai, &openai::output_tokens_max>(1024, 131'072),
     "Tokens of an answer. Doubled after an answer that was cut off."},
});

constexpr auto speech_settings = std::to_array<setting_definition>({
    {"transcriber",
     "local",
     one_of<&settings::transcriber>("local or openai"),
     "What recognizes speech: the built-in recognizer (English), or a server, see models.md."},
    {"transcriber-url",
     "https://api.openai.com",
     parsed<&read_base_address, &settings::speech, &speech::url>("an address as in openai-url"),
     "Base address of the speech server, without a version path."},
    {"transcriber-model",
     "",
     parsed<&read_plain, &settings::speech, &speech::model>("a model's name"),
     "Model to request of the speech server."},
    {"transcriber-api-key",
     "",
     key<&settings::speech, &speech::key>(),
     "API key of the speech server, if it needs one.",
     exposure::secret},
    {"transcriber-seconds-max",
     "300",
     parsed<&read_whole_seconds, &settings::speech, &speech::answer_time_max>(
         "whole seconds from 1 to 600", value_type::number),
     "Time that the speech server may take for one video."},
});

constexpr auto search_settings = std::to_array<setting_definition>({
    {"embedder",
     "local",
     one_of<&settings::embedder>("local, gemini or openai"),
     "How search compares meanings: with the built-in dictionary alone, or also with vectors of a "
     "remote model, which is billed."},
    {"embedding-model",
     "",
     parsed<&read_model_name, &settings::embedding_model>("a model's name"),
     "Embedding model, instead of gemini-embedding-001 or text-embedding-3-small."},
    {"embedding-dimensions",
     "768",
     integer<&settings::embedding_dimensions>(0, 3072),
     "Dimensions of a vector. 0 leaves them to the model."},
});

constexpr auto telegram_settings = std::to_array<setting_definition>({
    {"telegram-token",
     "",
     parsed<&read_bot_token, &settings::telegram_token>(
         "a token as Telegram's @BotFather gives it: letters, digits, :, _ and -"),
     "Token of the Telegram bot that takes links in chats. Without it there is no bot.",
     exposure::secret},
    {"telegram-url",
     "https://api.telegram.org",
     parsed<&read_base_address, &settings::telegram_url>(
         "an address such as https://api.telegram.org"),
     "Base address of the Bot API."},
    {"telegram-proxy",
     "none",
     parsed<&read_proxy, &settings::telegram_proxy>(accepted_proxy),
     "Proxy for the Bot API.",
     exposure::secret},
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
            definition.shown == exposure::secret ? "this value" : fmt::format("\"{}\"", text),
            accepted_values(definition.value))};
}

}  // namespace reelsd::app
