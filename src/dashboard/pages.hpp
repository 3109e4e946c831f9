#pragma once

namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// The pages: one document for all of them, and what it is made of. Without a session, too: they
/// hold nothing of anybody.
void add_page_routes(http::router& router);

}  // namespace reelsd::dashboard
