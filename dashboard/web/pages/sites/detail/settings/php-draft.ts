import { PHP_LIMITS, type PhpLimit } from '#shared/kernel/php-values.ts'
import type { PhpSettings } from '#shared/sites/site-settings.ts'
import { pairsOf, textOf } from './lines.ts'

/** As it is typed; an empty limit is that of the tier. `values`: `name = value` in each line. */
export type PhpDraft = Record<PhpLimit, string> & { values: string }

export function draftOf(settings: PhpSettings | null): PhpDraft {
  const limits = PHP_LIMITS.map((name) => [name, String(settings?.[name] ?? '')])
  return { ...Object.fromEntries(limits), values: textOf(settings?.values ?? {}) }
}

/** Returns the PHP settings of a draft; null when everything is as in the tier. */
export function settingsOf(draft: PhpDraft): PhpSettings | null {
  const named = PHP_LIMITS.filter((name) => draft[name].trim() !== '')
  const values = pairsOf(draft.values)
  if (named.length === 0 && Object.keys(values).length === 0) return null
  return { ...Object.fromEntries(named.map((name) => [name, Number(draft[name])])), values }
}
