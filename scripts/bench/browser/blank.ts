const PAGE = `<!doctype html><title>Blank</title><h1>Nothing</h1><input aria-label="Text">`

/** The minimum for any page: a document with a line of text and a field. */
export function blank(): { url: string; stop(): void } {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
  })
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => void server.stop(true) }
}
