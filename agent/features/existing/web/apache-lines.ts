/** A directive: `ServerName a.example` has one argument, `<VirtualHost *:80>` has a block. */
export interface ApacheDirective {
  /** In lower case: Apache ignores the case. */
  name: string
  args: readonly string[]
  block: Block | undefined
}

export type Block = readonly ApacheDirective[]

const MAX_NESTING = 100

/** Parses one file: directives, sections by `<Name …>` and `</Name>`, `\` joins two lines. */
export function parseApache(text: string): ApacheDirective[] {
  const root: ApacheDirective[] = []
  const stack = [root]
  for (const written of text.replace(/\\\r?\n/g, ' ').split('\n')) {
    const line = written.trim()
    if (line !== '' && !line.startsWith('#')) addLine(stack, line)
  }
  return root
}

function addLine(stack: ApacheDirective[][], line: string): void {
  if (line.startsWith('</')) {
    if (stack.length > 1) stack.pop()
    return
  }
  const isSection = line.startsWith('<')
  const [name = '', ...args] = wordsOf(isSection ? line.slice(1).replace(/>\s*$/, '') : line)
  const block: ApacheDirective[] | undefined = isSection ? [] : undefined
  if (stack.length < MAX_NESTING) stack.at(-1)?.push({ name: name.toLowerCase(), args, block })
  if (block) stack.push(block)
}

/** Splits words or quoted text, in which the quote is escaped, like ap_getword_conf(). */
function wordsOf(line: string): string[] {
  const words = line.matchAll(/"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|\S+/g)
  return [...words].map(
    ([word, double, single]) => (double ?? single)?.replace(/\\(["'\\])/g, '$1') ?? word,
  )
}
