import { readFile } from 'node:fs/promises'

export interface Block {
  /** Where to run it: the words after `stranger: ` in the block's first line. */
  where: string
  commands: string
}

/** In the order of reading. */
const GUIDE = ['.github/docs/installation.md', '.github/docs/operating.md']

/** The guide's commands for a new administrator, in order. */
export async function readBlocks(): Promise<Block[]> {
  const texts = await Promise.all(GUIDE.map((path) => readFile(path, 'utf8')))
  const found = texts.join('\n').matchAll(/^```sh stranger: ([^\n]+)\n([\s\S]*?)^```$/gm)
  return [...found].map(([, where = '', commands = '']) => ({ where, commands }))
}

/** Replaces each `<placeholder>` with the reader's value; throws if one has none. */
export function fillIn(commands: string, values: Record<string, string>): string {
  return commands.replace(/<([a-z][^<>\n]*)>/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the guide names <${name}>, which has no value`)
    return value
  })
}
