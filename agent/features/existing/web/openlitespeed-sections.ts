/** `docRoot html/` has a value; `virtualHost shop { … }` also has lines of its own. */
export interface Section {
  /** In lower case: OpenLiteSpeed ignores the case. */
  name: string
  value: string
  inner: readonly Section[]
}

const MAX_NESTING = 100

/**
 * A line is a name and a value; one that ends with `{` has lines up to `}`. A value that begins with
 * `<<<` is the text up to a line with the word after it.
 */
export function parseSections(text: string): Section[] {
  const root: Section[] = []
  const stack = [root]
  let end: string | undefined
  for (const written of text.split('\n')) {
    const line = written.trim()
    if (end !== undefined) end = line === end ? undefined : end
    else if (line === '}') close(stack)
    else if (line !== '' && !line.startsWith('#')) end = add(stack, line)
  }
  return root
}

function close(stack: Section[][]): void {
  if (stack.length > 1) stack.pop()
}

/** Returns the word that ends its text, if it has one. */
function add(stack: Section[][], line: string): string | undefined {
  const opens = line.endsWith('{')
  const words = opens ? line.slice(0, -1).trimEnd() : line
  const space = words.search(/\s/)
  const name = space < 0 ? words : words.slice(0, space)
  const value = space < 0 ? '' : words.slice(space).trim()
  const inner: Section[] = []
  if (stack.length < MAX_NESTING) stack.at(-1)?.push({ name: name.toLowerCase(), value, inner })
  if (opens) stack.push(inner)
  return /^<<<(\S+)$/.exec(value)?.[1]
}
