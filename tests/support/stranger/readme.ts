import { readFile } from 'node:fs/promises'

export interface Block {
  /** Where it is run, as the block says after `stranger: `. */
  where: string
  commands: string
}

/** The commands of the README that a stranger runs, in its order. */
export async function readBlocks(): Promise<Block[]> {
  const text = await readFile('README.md', 'utf8')
  const found = text.matchAll(/^```sh stranger: ([^\n]+)\n([\s\S]*?)^```$/gm)
  return [...found].map(([, where = '', commands = '']) => ({ where, commands }))
}

/** Each `<placeholder>` with what a reader puts there; throws for one that has no value. */
export function fillIn(commands: string, values: Record<string, string>): string {
  return commands.replace(/<([a-z][^<>\n]*)>/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the README says <${name}>, which nobody knows`)
    return value
  })
}
