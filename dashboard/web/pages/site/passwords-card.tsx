import { useMutation } from '@tanstack/react-query'
import { Eye, KeyRound, Zap } from 'lucide-react'
import { useCallback, useState } from 'react'
import { messageOf } from '../../api/client.ts'
import { purgeCache, readDatabasePassword, resetAdminPassword, type Site } from '../../api/sites.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { tell } from '../../ui/toasts.tsx'
import { Secret } from './secret.tsx'
import { isWordpress } from './urls.ts'

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

/** In the state of this component alone: what is asked for by useQuery would be kept. */
function DatabasePassword({ site }: { site: Site }) {
  const [shown, setShown] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const hide = useCallback(() => setShown(undefined), [])
  const show = async () => {
    setBusy(true)
    setError(undefined)
    try {
      setShown((await readDatabasePassword(site)).password)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  if (shown !== undefined) return <Secret what="the database password" text={shown} onHide={hide} />
  return (
    <>
      <Row name="Database password" about="Read from the server; that you saw it is recorded.">
        <Button icon={<Eye aria-hidden />} busy={isBusy} onClick={show}>
          Show the database password
        </Button>
      </Row>
      {error !== undefined && <Failure error={error} />}
    </>
  )
}

/** Also offered where a site has just been made. */
export function AdminPassword({ site }: { site: Site }) {
  const [shown, setShown] = useState<{ user: string; password: string }>()
  const [isAsking, setAsking] = useState(false)
  const hide = useCallback(() => setShown(undefined), [])
  const reset = async () => setShown(await resetAdminPassword(site))
  return (
    <>
      {shown && (
        <div>
          <p className="mb-1 text-xs text-muted">
            Sign in as <code className="text-text">{shown.user}</code> with
          </p>
          <Secret what="the administrator's password" text={shown.password} onHide={hide} />
        </div>
      )}
      {!shown && (
        <Row name="WordPress administrator" about="Kept nowhere: a new one is set to be shown.">
          <Button icon={<KeyRound aria-hidden />} onClick={() => setAsking(true)}>
            New admin password
          </Button>
        </Row>
      )}
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Set a new admin password of ${site.domain}?`}
        action="Set and show it"
        onConfirm={reset}
      >
        The password of now stops working, and whoever is signed in there as the administrator is
        signed out. The new one is shown once, for half a minute.
      </Confirm>
    </>
  )
}

function CachePurge({ site }: { site: Site }) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => purgeCache(site),
    onSuccess: () => tell(`The page cache of ${site.domain} is empty`),
    onError: (error) => tell(messageOf(error), { error: true }),
  })
  return (
    <Row name="Page cache" about="What visitors see is made anew at the next visit.">
      <Button icon={<Zap aria-hidden />} busy={isPending} onClick={() => mutate()}>
        Purge the cache
      </Button>
    </Row>
  )
}

function Row({
  name,
  about,
  children,
}: {
  name: string
  about: string
  children: React.ReactNode
}) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <p className="font-medium">{name}</p>
        <p className="text-xs text-muted">{about}</p>
      </div>
      {children}
    </div>
  )
}
