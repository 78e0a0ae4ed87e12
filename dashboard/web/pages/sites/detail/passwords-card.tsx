import { useMutation } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { purgeCache, type Site } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { tell } from '#dashboard/web/ui/toasts.tsx'
import { AccessRow } from './access-row.tsx'
import { AdminPassword } from './admin-password.tsx'
import { DatabasePassword } from './database-password.tsx'
import { isWordpress } from './urls.ts'
import { useServerAway } from './use-server-away.ts'

/** Passwords when they are asked for, and the cache. */
export function PasswordsCard({ site }: { site: Site }) {
  return (
    <Card title="Access and cache">
      <div className="flex flex-col gap-3">
        <DatabasePassword site={site} />
        {isWordpress(site) && <AdminPassword site={site} />}
        <CachePurge site={site} />
      </div>
    </Card>
  )
}

function CachePurge({ site }: { site: Site }) {
  const isAway = useServerAway(site)
  const { mutate, isPending } = useMutation({
    mutationFn: () => purgeCache(site),
    onSuccess: () => tell(`The page cache of ${site.domain} is empty`),
    onError: (error) => tell(messageOf(error), { error: true }),
  })
  return (
    <AccessRow name="Page cache" about="Pages are rebuilt at the next visit.">
      <Button
        icon={<Zap aria-hidden />}
        disabled={isAway}
        busy={isPending}
        onClick={() => mutate()}
      >
        Clear cache
      </Button>
    </AccessRow>
  )
}
