import { wildcardFits } from './nginx-variables.ts'

/** Returns whether a name of a server block stands for all names that no other block has. */
export const isAnyName = (name: string): boolean =>
  name === '' || name === '*' || name === 'localhost' || /^[_!"@]/.test(name)

/**
 * Returns the names under which a server block with this pattern could serve a folder that is named
 * after them. Each has to be checked: the pattern decides.
 */
export function namesFor(pattern: string, folder: string): string[] {
  const name = folder.toLowerCase()
  const plain = [name, `www.${name}`]
  const fitting = plain.filter((each) => wildcardFits(pattern, each))
  if (pattern.startsWith('*.')) return [...fitting, `${name}${pattern.slice(1)}`]
  if (pattern.startsWith('.')) return [...fitting, `${name}${pattern}`]
  if (pattern.endsWith('.*')) return [...fitting, `${pattern.slice(0, -1)}${name}`]
  if (!pattern.startsWith('~')) return plain
  const written = writtenFor(pattern.slice(1), name)
  return written === undefined ? plain : [...plain, written, `www.${written}`]
}

/** Finds the name for a folder: `a.shop.example` for `^(?<site>.+)\\.shop\\.example$` and `a`. */
function writtenFor(expression: string, folder: string): string | undefined {
  const name = expression
    .replace(/^\*?\^?|\$$/g, '')
    .replace(/\((?:\?:)?www\\\.\)\??/g, '')
    .replace(/\((?:\?P?<\w+>)?[^()|]*\)/, folder)
    .replaceAll('\\.', '.')
  return /^[\w.-]+$/.test(name) ? name.toLowerCase() : undefined
}
