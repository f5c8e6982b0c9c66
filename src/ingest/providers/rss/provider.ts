import type { Provider } from '../../feed.js'

/** Publishers of the feeds that the operator names in NEWS_FEEDS. */
export const newsPublishers: Provider = {
  id: 'news-rss',
  name: 'Publishers of news feeds',
  url: 'about:blank',
  licence: 'Title, link, editor and time of articles as feeds give them; the terms of each publisher apply',
  attribution: 'Headlines of the publishers that each article names',
  disclaimer:
    'Headlines are the words of their publishers. Articles are linked, and their text is not stored.',
  // Each publisher has its own terms, which the gateway does not know.
  licensedForCommercialUse: false,
}

/** The publisher of one feed, by its host and path. */
export function createPublisher(feed: string): Provider {
  return {
    ...newsPublishers,
    name: feed,
    attribution: `Headlines of ${feed}, linked to their articles`,
  }
}
