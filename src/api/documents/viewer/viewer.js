// Shows the document that stands beside this page, and nothing from elsewhere.
"use strict";

SwaggerUIBundle({
    url: "openapi.yaml",
    domNode: document.getElementById("viewer"),
    // Else the address of the document would be sent to a validator on the internet.
    validatorUrl: null,
    // Only the document of this server: no address in the page's query may bring another one.
    queryConfigEnabled: false,
    // A token lives as long as the page does.
    persistAuthorization: false,
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: false,
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
});
