/** What is searched for, and the operation that is shown. */
export interface DocsSearch {
  q?: string
  op?: string
}

export function readDocsSearch({ q, op }: Record<string, unknown>): DocsSearch {
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof op === 'string' && op !== '' ? { op } : {}),
  }
}
