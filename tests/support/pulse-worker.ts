/** The thread of a Pulse: requests `/health` every few milliseconds until it is stopped. */
const state = { longest_ms: 0, answers: 0, failures: 0 }
let isStopped = false

async function beat(url: string): Promise<void> {
  while (!isStopped) {
    const began = performance.now()
    const response = await fetch(`${url}/health`).catch(() => undefined)
    await response?.text()
    if (response?.status === 200) state.answers += 1
    else state.failures += 1
    state.longest_ms = Math.max(state.longest_ms, Math.round(performance.now() - began))
    await Bun.sleep(5)
  }
  postMessage(state)
}

self.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === 'stop') isStopped = true
  else void beat(data)
}
