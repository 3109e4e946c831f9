// Shows the API document of this server, and no other.
"use strict";

SwaggerUIBundle({
    url: "openapi.yaml",
    domNode: document.getElementById("viewer"),
    // Otherwise the document's address would be sent to a public validator.
    validatorUrl: null,
    // Ignores the query, which could name another document.
    queryConfigEnabled: false,
    // Tokens are not stored beyond the page's life.
    persistAuthorization: false,
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: false,
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
});
