/** What an answer of PHP is like, without its content. */
export interface Page {
  /** 0: no answer. */
  status: number
  /** A redirect, an answer that is no page, or a page with its end. */
  complete: boolean
}

const END = /<\/(html|rss|feed|rdf:RDF)\s*>/i
const NEEDS_END = /^(text\/html|application\/(rss|atom|xhtml|rdf)\+xml|text\/xml)\b/i

/** Reads an answer as CGI has it (RFC 3875): header fields, an empty line, content. */
export function pageOf(answer: string | undefined): Page {
  const [head = '', ...parts] = (answer ?? '').split(/(\r?\n\r?\n)/)
  if (parts.length === 0) return { status: 0, complete: false }
  const body = parts.slice(1).join('')
  const fields = new Map(head.split(/\r?\n/).map(fieldOf))
  const location = fields.has('location')
  const status = Number(/^\d{3}/.exec(fields.get('status') ?? '')?.[0] ?? (location ? 302 : 200))
  const isPage = status === 200 && NEEDS_END.test(fields.get('content-type') ?? '')
  return { status, complete: !isPage || END.test(body) }
}

function fieldOf(line: string): [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
}
