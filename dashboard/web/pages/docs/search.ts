/** The search text and the shown call. */
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
