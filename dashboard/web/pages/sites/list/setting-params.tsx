import { useState } from 'react'
import { Exclusions } from '#dashboard/web/pages/sites/detail/settings/exclusions.tsx'
import {
  exclusionsOf,
  pageCacheOf,
} from '#dashboard/web/pages/sites/detail/settings/page-cache-draft.ts'
import { draftOf, settingsOf } from '#dashboard/web/pages/sites/detail/settings/php-draft.ts'
import { PhpFields } from '#dashboard/web/pages/sites/detail/settings/php-fields.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Mistake } from '#dashboard/web/ui/mistake.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { PageCache, PhpSettings } from '#shared/sites/site-settings.ts'
import type { ParamsProps } from './debounced-params.ts'
import { useDebouncedParams } from './debounced-params.ts'

/** The PHP settings of each of many sites. */
export function ChangePhpSettings({ onChange }: ParamsProps) {
  const [draft, setDraft] = useState(() => draftOf(null))
  const settings = settingsOf(draft)
  const checked = PhpSettings.nullable().safeParse(settings)
  useDebouncedParams(checked.success ? { php_settings: checked.data } : undefined, onChange)
  return (
    <>
      <PhpFields draft={draft} onChange={setDraft} />
      {settings === null && (
        <Notice kind="info" title="All of them get the settings of their tier" />
      )}
      <Mistake of={checked.error?.issues[0]?.message} />
    </>
  )
}

/** The page cache of each of many sites. */
export function ChangePageCache({ onChange }: ParamsProps) {
  const [enabled, setEnabled] = useState(true)
  const [draft, setDraft] = useState(() => exclusionsOf(null))
  const checked = PageCache.nullable().safeParse(pageCacheOf(enabled, draft))
  useDebouncedParams(checked.success ? { page_cache: checked.data } : undefined, onChange)
  return (
    <>
      <CheckField
        label="Store pages"
        about="Without it, PHP answers every request, and the sites need a larger tier for the same number of visitors."
        checked={enabled}
        onChange={setEnabled}
      />
      {enabled && <Exclusions draft={draft} onChange={setDraft} />}
      <Mistake of={checked.error?.issues[0]?.message} />
    </>
  )
}
