import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Settings, settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { Exclusions } from './exclusions.tsx'
import { ALL_PAGES, exclusionsOf, pageCacheOf } from './page-cache-draft.ts'

/** The page cache of nginx, and what stays out of it. */
export function PageCacheCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(settingsQuery(site))
  const { dialog, show } = useDialog()
  const { enabled, paths, cookies } = data?.page_cache ?? ALL_PAGES
  return (
    <Card
      title="Page cache"
      actions={
        isOnServer &&
        data && (
          <Button needs="operate" onClick={show}>
            Change page cache
          </Button>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <Facts
          of={{
            Pages: enabled
              ? 'Stored for 30 seconds for visitors who are not logged in'
              : 'Not stored: PHP answers every request',
            ...(enabled && {
              'Changed pages': data.page_purge
                ? 'WordPress removes them at once'
                : 'Shown after at most 30 seconds',
              'Paths left out': paths.join(', ') || 'none but those of WordPress and shops',
              'Cookies left out': cookies.join(', ') || 'none but those of logins and carts',
            }),
          }}
        />
      )}
      {data && dialog.open && <Change site={site} settings={data} {...dialog} />}
    </Card>
  )
}

function Change({ site, settings, ...dialog }: DialogState & { site: Site; settings: Settings }) {
  const [enabled, setEnabled] = useState(settings.page_cache?.enabled ?? true)
  const [draft, setDraft] = useState(() => exclusionsOf(settings.page_cache))
  const [page_purge, setPurge] = useState(settings.page_purge)
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`Page cache of ${unicodeOf(site.domain)}`}
      about="nginx stores pages for visitors who are not logged in. Logins, carts, forms and shops are left out without a setting."
      action="Apply page cache"
      input={{
        page_cache: pageCacheOf(enabled, draft),
        ...(page_purge !== settings.page_purge && { page_purge }),
      }}
    >
      <CheckField
        label="Store pages"
        about="Without it, PHP answers every request, and the site needs a larger tier for the same number of visitors."
        checked={enabled}
        onChange={setEnabled}
      />
      {enabled && (
        <>
          <CheckField
            label="Remove changed pages"
            about="A must-use plugin tells the server which pages an edit, a comment or a sale has changed. Visitors see them at once."
            checked={page_purge}
            onChange={setPurge}
          />
          <Exclusions draft={draft} onChange={setDraft} />
        </>
      )}
    </SettingsDialog>
  )
}
