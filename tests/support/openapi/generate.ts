import { mock } from 'bun:test'

/**
 * Generates the client of an OpenAPI document with @hey-api/openapi-ts into a folder. It needs the
 * API of a TypeScript before 7, which replaces ours for it.
 */
export async function generateClient(document: string, folder: string): Promise<void> {
  await mock.module('typescript', () => import('@typescript/typescript6'))
  const { createClient } = await import('@hey-api/openapi-ts')
  await createClient({ input: document, output: folder, logs: { level: 'silent', file: false } })
}
