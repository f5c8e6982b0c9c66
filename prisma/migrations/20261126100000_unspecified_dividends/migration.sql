-- Some sources state the dividends of a day without their kind.
ALTER TYPE "dividend_frequency" ADD VALUE 'unspecified';
