const view = {
  memory: 64,
  limit: 64,
  numbers: { used: 9_437_184, objects: 4210, hits: 181_204, misses: 6420, evicted: 0 },
  drop_in: 'own',
  other: null,
}

export const OBJECT_CACHE_EXAMPLES = {
  SetObjectCache: { memory: 64 },
  SiteObjectCacheComplete: { status: 'ok', domain: 'shop.example', memory: 64 },
  ObjectCacheView: { ...view, most: 128 },
}
