#pragma once

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// Adds the API's description: `/docs/openapi.yaml`, its viewer at `/docs/index.html`, and
/// redirects from `/docs` and `/docs/`. Public; the files are compiled into the program.
void add_document_routes(http::router& router);

}  // namespace reelsd::api
