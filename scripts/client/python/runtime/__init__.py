"""
A client of the market data gateway. It needs the standard library only; pandas, Polars, pyarrow and cryptography are used
where they are installed.

    from market_data_gateway import Client

    client = Client("https://gateway.example.org")  # the key is in MARKET_DATA_GATEWAY_KEY
    candles = client.candles(asset_class="crypto", from_="2021-11-26").to_pandas()
"""

from . import api_errors, types
from ._answers import Answer, Cost, GraphQLAnswer, Rows
from ._clock import PastClient
from ._limits import Limits, QuotaWindow
from ._receipts import verify_receipt
from ._releases import DownloadedRelease
from ._version import VERSION as __version__
from .api_errors import *
from .client import Client
from .errors import ApiError, BoundExceeded, ConnectionFailed, GatewayError, VerificationFailed

__all__ = [
    "Answer",
    "ApiError",
    "BoundExceeded",
    "Client",
    "ConnectionFailed",
    "Cost",
    "DownloadedRelease",
    "GatewayError",
    "GraphQLAnswer",
    "Limits",
    "PastClient",
    "QuotaWindow",
    "Rows",
    "VerificationFailed",
    "__version__",
    "types",
    "verify_receipt",
]
__all__ += api_errors.__all__
