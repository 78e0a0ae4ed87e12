import type { Client } from '#tests/support/client.ts'

/** A client of a running dashboard, for what also sets up dashboards of unit tests. */
export const callerOf = (client: Client) => ({
  send: (method: string, path: string, body?: unknown) => client.open({ method, path, body }),
  call: async (method: string, path: string, body?: unknown) => {
    const { status, text } = await client.send({ method, path, body })
    return { status, body: JSON.parse(text) }
  },
})
