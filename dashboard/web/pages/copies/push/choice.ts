import type { ComparedContent } from '#shared/copies/site.compare.ts'

export type Comparison = Pick<ComparedContent, 'files' | 'tables'>

/** What is pushed. */
export interface Choice {
  files: boolean
  tables: string[]
}

/** What changed on the staging site alone; what also changed on the live site needs a choice. */
export function choiceFor({ files, tables }: Comparison): Choice {
  return {
    files:
      files.added.count + files.changed.count + files.removed.count > 0 &&
      files.live_changed.count === 0,
    tables: tables
      .filter(({ staging_changed, live_changed }) => staging_changed && !live_changed)
      .map(({ name }) => name),
  }
}

/** The chosen tables that changed on the live site since the copy. */
export const overwrittenIn = ({ tables }: Comparison, { tables: chosen }: Choice): string[] =>
  tables.filter(({ name, live_changed }) => live_changed && chosen.includes(name)).map(nameOf)

const nameOf = ({ name }: { name: string }) => name
