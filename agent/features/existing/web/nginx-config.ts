/** A directive: `listen 443 ssl;` has two arguments, `server { … }` has a block. */
export interface Directive {
  name: string
  args: readonly string[]
  block: Block | undefined
}

export type Block = readonly Directive[]

const MAX_NESTING = 100

const TOKEN =
  /\s+|#[^\n]*|[{};]|"((?:[^"\\]|\\[\s\S])*)"?|'((?:[^'\\]|\\[\s\S])*)'?|(?:\$\{\w*\}|[^\s{};\\]|\\[\s\S])+|\\/g

/** Parses one file as ngx_conf_read_token() does; open blocks end with the file. */
export function parseNginx(text: string): Directive[] {
  const root: Directive[] = []
  const stack = [root]
  const reader = new RegExp(TOKEN)
  let words: string[] = []
  for (let found = reader.exec(text); found; found = reader.exec(text)) {
    const [token, double, single] = found
    if (/^[\s#]/.test(token)) continue
    if (!/^[{};]$/.test(token)) {
      words.push(unescaped(double ?? single ?? token))
      continue
    }
    const lua = token === '{' && words[0]?.endsWith('_by_lua_block')
    if (lua) reader.lastIndex = endOfLua(text, reader.lastIndex)
    endDirective(stack, lua ? ';' : token, words)
    words = []
  }
  return root
}

/** Counts only the braces of Lua, which has quotes and comments of its own. */
function endOfLua(text: string, from: number): number {
  const braces = /[{}]/g
  braces.lastIndex = from
  let depth = 1
  for (let found = braces.exec(text); found; found = braces.exec(text)) {
    depth += found[0] === '{' ? 1 : -1
    if (depth === 0) return braces.lastIndex
  }
  return text.length
}

/** Ends a directive with `;`, opens its block with `{`, or closes the block around it with `}`. */
function endDirective(
  stack: Directive[][],
  sign: string,
  [name, ...args]: readonly string[],
): void {
  if (sign === '}') {
    if (stack.length > 1) stack.pop()
    return
  }
  const block: Directive[] | undefined = sign === '{' ? [] : undefined
  if (name !== undefined && stack.length < MAX_NESTING) stack.at(-1)?.push({ name, args, block })
  if (block) stack.push(block)
}

/** Unescapes `\"`, `\'`, `\\`, `\t`, `\r`, `\n`; any other backslash stays. */
function unescaped(word: string): string {
  if (!word.includes('\\')) return word
  return word.replace(/\\(["'\\trn])/g, (_, letter: string) => ESCAPES[letter] ?? letter)
}

const ESCAPES: Record<string, string> = { t: '\t', r: '\r', n: '\n' }
