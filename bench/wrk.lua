-- Sends the requests of a file in their order, each as it stands there; from the first again after the last, unless
-- each may be sent only once. Prints what was measured as one line of JSON.
local requests, count = {}, 0
local once = os.getenv("BENCH_ONCE") == "1"

function init()
  local file = assert(io.open(os.getenv("BENCH_REQUESTS"), "rb"))
  while true do
    local length = file:read("*l")
    if not length then break end
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
end

function request()
  count = count + 1
  if once and count > #requests then
    wrk.thread:stop()
    return requests[#requests]
  end
  return requests[(count - 1) % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "refused": %d, "broken": %d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
