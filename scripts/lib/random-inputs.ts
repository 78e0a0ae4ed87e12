import type { Document } from './documents.ts'

/** It names what the check looks for. */
const EXAMPLES = 'tests/scripts/lib/random-inputs.test.ts'

/** Returns the paths below tests/ whose random inputs do not follow from the seed of the run. */
export function unseededInputs(files: readonly Document[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('tests/') && path !== EXAMPLES)
    .filter(({ text }) => {
      const properties = countOf(text, /\bfc\.(?:assert|check)\(/g)
      return /\bMath\.random\b/.test(text) || properties > countOf(text, /\bruns\(/g)
    })
    .map(({ path }) => path)
}

const countOf = (text: string, word: RegExp) => text.match(word)?.length ?? 0
