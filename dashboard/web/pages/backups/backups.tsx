import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { kitQuery, targetsQuery } from '#dashboard/web/api/backups.ts'
import { Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { BackupTargetView } from '#shared/api/backups.ts'
import { FirstSteps } from './first-steps.tsx'
import { KitCard } from './kit/kit-card.tsx'
import { NewKit } from './kit/new-kit.tsx'
import { ShownCheck } from './shown-check.tsx'
import { CheckTarget, RemoveTarget } from './targets/target-actions.tsx'
import { TargetForm } from './targets/target-form.tsx'
import { TargetsCard } from './targets/targets-card.tsx'

type Shown =
  | { dialog: 'kit' | 'add' }
  | { dialog: 'edit' | 'check' | 'remove'; target: BackupTargetView }

/** The recovery kit, and where backups are stored. */
export function BackupsPage() {
  const kit = useQuery(kitQuery)
  const targets = useQuery(targetsQuery)
  const [shown, setShown] = useState<Shown>()
  const isLoaded = kit.data !== undefined && targets.data !== undefined
  const show = (next: Shown) => () => setShown(next)
  return (
    <Page
      title="Backups"
      about="Files and database of each site, encrypted, in a place of yours. Back up and restore a site on its page."
    >
      {isLoaded && (
        <FirstSteps
          kit={kit.data}
          targets={targets.data}
          onCreateKit={show({ dialog: 'kit' })}
          onAdd={show({ dialog: 'add' })}
          onCheck={(target) => setShown({ dialog: 'check', target })}
        />
      )}
      <ShownCheck />
      <QueryState of={targets} />
      {targets.data && (
        <TargetsCard
          targets={targets.data}
          onAdd={show({ dialog: 'add' })}
          onCheck={(target) => setShown({ dialog: 'check', target })}
          onEdit={(target) => setShown({ dialog: 'edit', target })}
          onRemove={(target) => setShown({ dialog: 'remove', target })}
        />
      )}
      <QueryState of={kit} />
      {kit.data !== undefined && <KitCard kit={kit.data} onCreate={show({ dialog: 'kit' })} />}
      <Dialogs shown={shown} onClose={() => setShown(undefined)} />
    </Page>
  )
}

function Dialogs({ shown, onClose }: { shown: Shown | undefined; onClose: () => void }) {
  const target = shown && 'target' in shown ? shown.target : undefined
  const state = (...dialogs: Shown['dialog'][]) => ({
    open: shown !== undefined && dialogs.includes(shown.dialog),
    onClose,
  })
  return (
    <>
      <NewKit {...state('kit')} />
      <TargetForm {...state('add', 'edit')} target={target} />
      {target && <CheckTarget {...state('check')} target={target} />}
      {target && <RemoveTarget {...state('remove')} target={target} />}
    </>
  )
}
