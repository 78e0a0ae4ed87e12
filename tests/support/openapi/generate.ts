import { mock } from 'bun:test'

/**
 * Writes the client that @hey-api/openapi-ts makes of an OpenAPI document into a folder. It needs the
 * API of a TypeScript before 7, which is given to it in the place of ours.
 */
export async function generateClient(document: string, folder: string): Promise<void> {
  await mock.module('typescript', () => import('@typescript/typescript6'))
  const { createClient } = await import('@hey-api/openapi-ts')
  await createClient({ input: document, output: folder, logs: { level: 'silent', file: false } })
}
