# The gateway in front of the daemons: Debian's HAProxy and its configuration. See docker/compose.yaml.
FROM debian:trixie-slim

COPY docker/packages.txt /tmp/image/docker/
COPY scripts/packages /tmp/image/scripts/
RUN apt-get update -q && \
    DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $(/tmp/image/scripts/packages gateway) && \
    apt-get clean && \
    rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /tmp/image
COPY docker/gateway.cfg /etc/haproxy/haproxy.cfg

USER haproxy
EXPOSE 8080
# SIGUSR1 lets requests finish; the engine kills HAProxy after its grace period.
STOPSIGNAL SIGUSR1
# Healthy while a daemon is ready. Bash can send the request.
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -t 5 -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["haproxy", "-W", "-db", "-f", "/etc/haproxy/haproxy.cfg"]
