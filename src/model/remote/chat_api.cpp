#include "chat_api.hpp"

#include <reelsd/net/url.hpp>

#include <system_error>
#include <utility>

namespace reelsd::model {

std::string task_text(const prompt& prompt, const request_options& options, answer_format format) {
    auto text = prompt.task;
    if (format != answer_format::schema) text += "\n\n" + schema_note(prompt.schema);
    if (!options.note.empty()) text += "\n\n" + options.note;
    return text;
}

boost::system::result<net::file_range, call_failure> whole_file(const std::filesystem::path& file) {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (failure) return call_failure{.kind = failure_kind::storage, .detail = failure.message()};
    return net::file_range{.file = file, .offset = 0, .bytes = bytes};
}

net::http_client_settings client_settings(
    const std::string& base_url, std::optional<net::proxy> by_proxy, std::string ca_file) {
    net::http_client_settings settings{
        .by_proxy = std::move(by_proxy), .ca_file = std::move(ca_file)};
    if (const auto url = net::url::parse(base_url)) {
        settings.policy.trusted_origins = {url->origin()};
    }
    return settings;
}

}  // namespace reelsd::model
