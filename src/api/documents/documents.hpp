#pragma once

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// What describes the API, for programs and people: `/docs/openapi.yaml`, its viewer at
/// `/docs/index.html`, and redirects to the viewer from `/docs` and `/docs/`. No token is needed,
/// and nothing is fetched from elsewhere: the files are compiled into the program.
void add_document_routes(http::router& router);

}  // namespace reelsd::api
