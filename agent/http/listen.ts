import type { Hono } from 'hono'

type Handler = (request: Request) => Response | Promise<Response>
interface Listening {
  port: number
  stop(): Promise<void>
}

/** The parts of the two runtimes that listening needs; everything else is node: and Web Standards. */
interface BunRuntime {
  serve(options: object): {
    port: number
    stop(force: boolean): Promise<void>
    timeout(request: Request, seconds: number): void
  }
}
interface DenoRuntime {
  serve(options: object, handler: Handler): { addr: { port: number }; shutdown(): Promise<void> }
}

const IDLE_SECONDS = 30

/** Starts listening on Bun or on Deno. Rejects with the system's error, such as EADDRINUSE. */
export async function listen(app: Hono, hostname: string, port: number): Promise<Listening> {
  const { Bun, Deno } = globalThis as { Bun?: BunRuntime; Deno?: DenoRuntime }
  if (Bun) return onBun(Bun, app, hostname, port)
  if (Deno) return onDeno(Deno, app, hostname, port)
  throw new Error('hosting-agent runs on Bun or Deno')
}

function onBun(bun: BunRuntime, app: Hono, hostname: string, port: number): Listening {
  const server = bun.serve({
    hostname,
    port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: 2 << 20,
    fetch: async (request: Request) => {
      const response = await app.fetch(request)
      const streams = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (streams) server.timeout(request, 0)
      return response
    },
  })
  return { port: server.port, stop: () => server.stop(true) }
}

function onDeno(deno: DenoRuntime, app: Hono, hostname: string, port: number): Listening {
  const options = { hostname, port, onListen: () => undefined }
  const server = deno.serve(options, (request) => app.fetch(request))
  return { port: server.addr.port, stop: () => server.shutdown() }
}
