"""The proxies that stand before the server, each with two settings: as they come, and with their checks relaxed.

They listen, and reach the relay, at sockets in a temporary folder, so that no port is chosen beforehand.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time

from exchange import connect

NGINX = """
daemon off; master_process off; worker_processes 1; error_log stderr crit; pid {folder}/nginx.pid;
events {{ worker_connections 512; }}
http {{
  log_format one '$upstream_addr'; access_log {folder}/access.log one;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  map $http_upgrade $hop {{ default upgrade; '' ''; }}
  upstream server {{ server unix:{folder}/relay; keepalive 4; }}
  server {{
    listen unix:{folder}/front;
    {options}
    proxy_next_upstream off; proxy_ignore_client_abort on; proxy_http_version 1.1;
    lingering_close off; reset_timedout_connection off; client_max_body_size 2m; keepalive_requests 1000000;
    location / {{
      proxy_pass http://server;
      proxy_set_header Host $http_host; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $hop;
      proxy_set_header X-Front-Tag "{word}-$request_id";
    }}
  }}
}}
"""
NGINX_RELAXED = "ignore_invalid_headers off; underscores_in_headers on; proxy_request_buffering off; merge_slashes off;"

HAPROXY = """
global
  maxconn 500
  nbthread 1
  log stdout format raw daemon
defaults
  mode http
  log global
  log-format "%s"
  timeout connect 5s
  timeout client 20s
  timeout server 20s
  retries 0
  option http-keep-alive
frontend front
  bind unix@{folder}/front
  {options}
  http-request set-header X-Front-Tag {word}-%[uuid()]
  default_backend back
backend back
  http-reuse always
  {backend_options}
  server server unix@{folder}/relay
"""

NAMES = ("nginx", "nginx-relaxed", "haproxy", "haproxy-relaxed")


def program(name):
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not found:
        raise SystemExit("smuggling: %s is not installed; Scripts/setup.sh all installs it." % name)
    return found


class Front:
    """A proxy under test; ends with its context."""

    def __init__(self, name, word):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="smuggling-")
        self.address = self.folder + "/front"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.folder + "/relay")
        self.listener.listen(64)
        self.log = open(self.folder + "/log", "wb")
        self.process = subprocess.Popen(self.command(word.decode()), stdout=self.log, stderr=self.log)

    def command(self, word):
        relaxed = self.name.endswith("relaxed")
        values = {"folder": self.folder, "word": word, "options": "", "backend_options": ""}
        path = self.folder + "/configuration"
        if self.name.startswith("nginx"):
            values["options"] = NGINX_RELAXED if relaxed else ""
            text, command = NGINX, [program("nginx"), "-e", "stderr", "-c", path, "-p", self.folder]
        else:
            if relaxed:
                values["options"] = "option accept-invalid-http-request"
                values["backend_options"] = "option accept-invalid-http-response"
            text, command = HAPROXY, [program("haproxy"), "-f", path, "-db"]
        with open(path, "w") as file:
            file.write(text.format(**values))
        return command

    def __enter__(self):
        try:
            wait_for(self.address, self.process)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.listener.close()
        self.log.close()
        shutil.rmtree(self.folder)

    def logged(self):
        """The number of requests that the front itself says it forwarded."""
        time.sleep(0.2)
        if self.name.startswith("nginx"):
            with open(self.folder + "/access.log") as file:
                return sum(line.strip() != "-" for line in file)
        with open(self.folder + "/log") as file:
            return sum(line.strip() == "server" for line in file)


def wait_for(address, process):
    """Waits at most 30 s until a program takes connections."""
    for _ in range(600):
        try:
            connect(address).close()
            return
        except OSError:
            if process.poll() is not None:
                raise SystemExit("smuggling: %s ended with %d." % (process.args[0], process.returncode)) from None
            time.sleep(0.05)
    raise SystemExit("smuggling: %s takes no connections." % process.args[0])
