"""Error answers of the Gemini API, and the reasons for which a candidate ends.

Each fault is a name for GeminiStandIn.fail(); the comments after a name list its options.
"""

import json

from model_server import Answer, html_answer

TYPE = "type.googleapis.com/google.rpc."
DOMAIN = "googleapis.com"


def error_info(reason, **metadata):
    return {"@type": TYPE + "ErrorInfo", "reason": reason, "domain": DOMAIN,
            "metadata": {"service": "generativelanguage.googleapis.com", **metadata}}


def bad_request(field, description):
    return {"@type": TYPE + "BadRequest",
            "fieldViolations": [{"field": field, "description": description}]}


def retry_info(delay):
    return {"@type": TYPE + "RetryInfo", "retryDelay": delay}


def quota_failure(quota_id, value):
    return {"@type": TYPE + "QuotaFailure", "violations": [{
        "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests",
        "quotaId": quota_id, "quotaDimensions": {"model": "gemini-3.8-flash", "location": "global"},
        "quotaValue": value}]}


class Refusal(Exception):
    """An error answer: HTTP status, the API's own name of it, a message, details."""

    def __init__(self, status, name, message, *details):
        super().__init__(message)
        self.status, self.name, self.message, self.details = status, name, message, details

    def answer(self, shape="object", **headers):
        """`shape`: object, or a list with one object, as some front ends send it."""
        error = {"code": self.status, "message": self.message, "status": self.name}
        if self.details:
            error["details"] = list(self.details)
        value = {"error": error}
        text = json.dumps([value] if shape == "array" else value, indent=2)
        return Answer(self.status, text.encode(),
                      {name.replace("_", "-"): value for name, value in headers.items()})


def invalid(message, *details):
    return Refusal(400, "INVALID_ARGUMENT", message, *details)


TOO_MANY_STATES = ("The specified schema produces a constraint that has too many states for serving. "
                   "Typical causes of this error are schemas with lots of text.")
VAGUE = "Request contains an invalid argument."
QUOTA = "You exceeded your current quota, please check your plan and billing details."


def bad_key():
    return invalid("API key not valid. Please pass a valid API key.", error_info("API_KEY_INVALID"),
                   {"@type": TYPE + "LocalizedMessage", "locale": "en-US",
                    "message": "API key not valid. Please pass a valid API key."})


def no_key():
    return Refusal(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers "
                   "without established identity). Please use API Key or other form of API consumer "
                   "identity to call this API.")


def payload_too_large(limit=20971520):
    return invalid("Request payload size exceeds the limit: %d bytes." % limit)


def too_many_states(where="message"):
    """`where`: message, or details, if only a field violation contains the reason."""
    if where == "message":
        return invalid(TOO_MANY_STATES)
    return invalid(VAGUE, bad_request("generation_config.response_json_schema", TOO_MANY_STATES))


def unknown_name(name, where):
    text = "Invalid JSON payload received. Unknown name \"%s\" at '%s': Cannot find field." % (
        name, where)
    return invalid(text, bad_request(where, text))


def not_active(name="files/x"):
    return Refusal(400, "FAILED_PRECONDITION",
                   "The File %s is not in an ACTIVE state and usage is not allowed." % name)


def model_missing(model="gemini-x"):
    return Refusal(404, "NOT_FOUND", "models/%s is not found for API version v1beta, or is not "
                   "supported for generateContent. Call ListModels to see the list of available "
                   "models and their supported methods." % model)


def file_gone(name="x"):
    return Refusal(403, "PERMISSION_DENIED", "You do not have permission to access the File %s or it "
                   "may not exist." % name)


def per_minute(delay="31s", quota_id="GenerateRequestsPerMinutePerProjectPerModel"):
    text = QUOTA + (" Please retry in %s." % delay if delay else "")
    details = [quota_failure(quota_id, "10")] + ([retry_info(delay)] if delay else [])
    return Refusal(429, "RESOURCE_EXHAUSTED", text, *details)


def per_day(delay="7s"):
    return per_minute(delay, "GenerateRequestsPerDayPerProjectPerModel-FreeTier")


def limit_zero():
    return Refusal(
        429, "RESOURCE_EXHAUSTED",
        QUOTA + "\n* Quota exceeded for metric: generativelanguage.googleapis.com/"
        "generate_content_free_tier_requests, limit: 0, model: gemini-3.1-pro\nPlease retry in 5s.",
        quota_failure("GenerateContentInputTokensPerModelPerMinute-FreeTier", "0"), retry_info("5s"))


def unsupported_thinking():
    return invalid("Thinking level MINIMAL is not supported for this model. Please retry with other "
                   "thinking level.")


# Name -> the refusal, with the options of the fault; `shape` and `retry_after` apply to each.
ERRORS = {
    "bad_key": bad_key,                      # The key is invalid.
    "payload_too_large": payload_too_large,  # limit
    "too_many_states": too_many_states,      # where: message | details
    "unknown_name": lambda: unknown_name("thinkingLevel", "generation_config.thinking_config"),
    "bad_thinking": unsupported_thinking,
    "bad_video": lambda: invalid(VAGUE),
    "not_active": not_active,
    "country": lambda: Refusal(400, "FAILED_PRECONDITION",
                               "User location is not supported for the API use."),
    "unauthenticated": lambda: Refusal(
        401, "UNAUTHENTICATED", "Request had invalid authentication credentials.",
        error_info("ACCESS_TOKEN_TYPE_UNSUPPORTED")),
    "forbidden": lambda: Refusal(403, "PERMISSION_DENIED", "The caller does not have permission"),
    "leaked_key": lambda: Refusal(
        403, "PERMISSION_DENIED",
        "Your API key was reported as leaked. Please use another API key."),
    "api_off": lambda: Refusal(
        403, "PERMISSION_DENIED", "Generative Language API has not been used in project 1 before or "
        "it is disabled.", error_info("SERVICE_DISABLED")),
    "file_gone": file_gone,                  # As for a file that is deleted or belongs to another client.
    "file_missing": lambda: Refusal(404, "NOT_FOUND", "Requested entity was not found."),
    "model_missing": model_missing,
    "timeout": lambda: Refusal(408, "DEADLINE_EXCEEDED", "The request timed out."),
    "exhausted": lambda: Refusal(429, "RESOURCE_EXHAUSTED",
                                 "Resource has been exhausted (e.g. check quota)."),
    "per_minute": per_minute,                # delay: "31s", "34.07s", "900ms" or None
    "per_day": per_day,                      # delay
    "limit_zero": limit_zero,
    "spend_cap": lambda: Refusal(
        429, "RESOURCE_EXHAUSTED", "Your project has exceeded its spending cap for the last 10 "
        "minutes.", error_info("SPEND_CAP_EXCEEDED")),
    "cancelled": lambda: Refusal(499, "CANCELLED", "The operation was cancelled."),
    "internal": lambda: Refusal(500, "INTERNAL", "An internal error has occurred. Please retry or "
                                "report in https://developers.generativeai.google/guide/"
                                "troubleshooting"),
    "bad_gateway": lambda: Refusal(502, "UNAVAILABLE", "Bad gateway"),
    "overloaded": lambda: Refusal(503, "UNAVAILABLE",
                                  "The model is overloaded. Please try again later."),
    "capacity": lambda: Refusal(
        503, "UNAVAILABLE", "No capacity available for model gemini-3.8-flash on the server",
        error_info("MODEL_CAPACITY_EXHAUSTED", model="gemini-3.8-flash")),
    "deadline": lambda: Refusal(504, "DEADLINE_EXCEEDED",
                                "Deadline expired before operation could complete."),
}

# Name -> an answer that is not an error of the API.
PLAIN = {
    "html_502": lambda: html_answer(502),
    "html_413": lambda: html_answer(413, "<html><title>413 Request Entity Too Large</title></html>"),
    "empty_500": lambda: Answer(500),
    "empty_200": lambda: Answer(200),
    "html_200": lambda: html_answer(200, "<html>Sign in to the network</html>"),
    "cut_json": lambda: Answer(200, b'{"candidates": [{"content": {"parts": [{"te'),
    "array_200": lambda: Answer(200, b"[]"),
    # An unexpected error that quotes the request.
    "quoting": lambda text="": Answer(500, ("<html>%s</html>" % text).encode(), kind="text/html"),
}


def error_answer(name, options):
    """The answer of a fault of ERRORS or PLAIN."""
    options = dict(options)
    if name in PLAIN:
        return PLAIN[name](**options)
    shape, headers = options.pop("shape", "object"), {}
    if "retry_after" in options:
        headers["Retry_After"] = options.pop("retry_after")
    return ERRORS[name](**options).answer(shape, **headers)


# How candidates end: name -> (finishReason, part of the text: all, half or none).
FINISHES = {
    "max_tokens": ("MAX_TOKENS", "half"),
    "max_tokens_empty": ("MAX_TOKENS", "none"),  # Thinking used all tokens.
    "recitation": ("RECITATION", "none"),
    "safety": ("SAFETY", "none"),
    "safety_partial": ("SAFETY", "half"),
    "prohibited": ("PROHIBITED_CONTENT", "none"),
    "blocklist": ("BLOCKLIST", "none"),
    "spii": ("SPII", "half"),
    "language": ("LANGUAGE", "none"),
    "other": ("OTHER", "none"),
    "finish_unspecified": ("FINISH_REASON_UNSPECIFIED", "none"),
    "finish_unknown": ("QUANTUM_DECOHERENCE", "none"),
    "continuation": ("CONTINUATION", "half"),
    "malformed_function_call": ("MALFORMED_FUNCTION_CALL", "none"),
    "unexpected_tool_call": ("UNEXPECTED_TOOL_CALL", "none"),
    "too_many_tool_calls": ("TOO_MANY_TOOL_CALLS", "none"),
    "image_safety": ("IMAGE_SAFETY", "none"),
    "no_image": ("NO_IMAGE", "none"),
    "no_finish": (None, "all"),                  # The reason is missing.
}
# Answers without a candidate: name -> blockReason, or None. Option `reason` of prompt_blocked.
BLOCKS = {
    "prompt_blocked": "PROHIBITED_CONTENT",
    "block_unspecified": "BLOCK_REASON_UNSPECIFIED",
    "no_candidates": None,
}


def finished(name, text):
    """(finishReason, remaining text)."""
    reason, part = FINISHES[name]
    return reason, {"all": text, "half": text[:len(text) // 2], "none": ""}[part]
